"""Pages and pictures for users: HTML, SVG and plots."""
