"""The demo: an embedded server that speaks GitHub's REST shapes, and three bundled failing runs."""
