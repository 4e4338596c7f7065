"""scikit-learn's own conformance battery, and equality with the predictor underneath."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

from driftlaw import Adaptive
from driftlaw.adapters import LawDensity
from driftlaw.peers import EWMA


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("predictor", ["ewma", "kde"])
def test_passes_scikit_learns_checks(predictor: str) -> None:
    results = check_estimator(LawDensity(predictor=predictor), on_skip=None)
    assert len(results) > 30
    assert {r["status"] for r in results} <= {"passed", "skipped"}


# All of them, with `adaptive`: python -m benchmarks.conformance; here those that learn fewest rows.
CHEAP = {
    "check_dict_unchanged", "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimators_dtypes", "check_estimators_nan_inf", "check_estimators_overwrite_params",
    "check_estimators_pickle", "check_estimators_unfitted", "check_f_contiguous_array_estimator",
    "check_fit2d_1feature", "check_fit2d_1sample", "check_get_params_invariance",
    "check_methods_sample_order_invariance", "check_methods_subset_invariance",
    "check_readonly_memmap_input", "check_set_params",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
def test_adaptive_passes_the_cheaper_of_scikit_learns_checks() -> None:
    done = set()
    for model, check in estimator_checks_generator(LawDensity()):
        name = check.func.__name__
        if name in CHEAP:
            check(model)
            done.add(name)
    assert done == CHEAP


def test_is_the_predictor_underneath() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    peer = EWMA(2)
    for row in X:
        peer.learn_one(row)
    model = LawDensity(predictor="ewma").fit(X[:15]).partial_fit(X[15:])
    np.testing.assert_array_equal(model.score_samples(X), peer.predict().logpdf(X))
    assert model.score(X) == pytest.approx(model.score_samples(X).sum())
    np.testing.assert_array_equal(model.sample(5, 3), peer.predict().sample(5, 3))
    assert clone(model).get_params() == model.get_params()


def test_adaptive_is_the_default() -> None:
    X = np.random.default_rng(1).normal(size=(30, 1))
    predictor = Adaptive(1)
    predictor.learn_many(X)
    found = LawDensity().fit(X).score_samples(X)
    np.testing.assert_allclose(found, predictor.predict().logpdf(X))
