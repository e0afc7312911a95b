"""A small grammar of English that draws sentences with their trees."""
