"""The predictor room."""
