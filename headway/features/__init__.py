"""Feature templates as data, and the kernels that turn them into slots of weight tables."""
