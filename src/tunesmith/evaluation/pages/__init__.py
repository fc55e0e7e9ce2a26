"""Pages and pictures for people: HTML, SVG and plots."""
