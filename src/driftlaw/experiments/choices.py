"""Choices where the paper's experiment section is silent; the report lists them."""

CHOICES = (
    (
        "age of the rate",
        "The rate is a function of the observations in the score since the last restart. At age 0 "
        "the prior predicts; 0.1·sqrt(log a / a) is 0 at age 1 too.",
    ),
    (
        "kernel p(x|c)",
        "As printed: proportional to exp(-rate · min squared distance) on the prior's ball, drawn "
        "exactly, so no burn-in steps are needed. As recommended: normal distributions around the "
        "centres with a width learnt from the residuals.",
    ),
    (
        "weights inside p(x|c)",
        "As printed: equal. As recommended: the share of the window that is nearest to a centre.",
    ),
    (
        "rate as recommended",
        "1 at every age: the printed rates are so small that the quasi-posterior is nearly the "
        "prior. The figures that vary the printed rate leave it as it is.",
    ),
    (
        "restart as recommended",
        "Every 60 steps on the smooth stream, where the printed interval is 10; the printed "
        "interval elsewhere, and every swept one where the interval is swept.",
    ),
    (
        "prior ball, smooth stream",
        "As printed: radius 10 around the origin, which the drifting centres leave between steps "
        "250 and 420. As recommended: radius 20, which they do not leave; 60 where the drift is "
        "swept up to 0.1 per step.",
    ),
    ("prior ball, abrupt shifts", "Radius 24 in both settings: it covers three jumps of 7."),
    (
        "abrupt shifts",
        "floor(T^0.15) jumps between blocks of equal length, restart every round(T^0.40) steps, "
        "directions of the jumps uniform.",
    ),
    ("directions of the drift", "Each centre has one of its own, uniform, fixed for the run."),
    (
        "daily returns",
        "Log returns, each scaled by mean and standard deviation of its own past (the first 40 "
        "rows only feed these); the next 40 are learnt without being judged. At most 4 centres in "
        "a ball of radius 10, 10 configurations. The corrupted feed is scaled by its own past.",
    ),
    (
        "mean-prediction error",
        "The mean of the predictive law itself, not of 200 draws from it.",
    ),
    (
        "distance",
        "Panels and first columns: sliced W1 over fixed directions (16 in the plane, 64 in five "
        "dimensions, exact on the line) without sampling noise, but for about 4096 exact draws "
        "that stand for the printed kernel above one dimension. Beside it, where the paper's "
        "numbers are compared, its own estimate from samples and 100 random directions.",
    ),
    (
        "judged steps",
        "Every so many steps, as said at each figure; a judged step counts for those until the "
        "next one. The number shares no factor with a restart interval.",
    ),
    (
        "best window",
        "The empirical law of the last H observations, for the H of the grid with the smallest "
        "mean distance over all seeds: known only in hindsight.",
    ),
    (
        "theory",
        "The smooth experiment lies outside the regime of the theorems: every step is corrupted "
        "and the transport action grows linearly.",
    ),
)
