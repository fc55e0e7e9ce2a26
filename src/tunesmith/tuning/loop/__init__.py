"""The outer loop: plans, their steps, and the state that steps pass on."""
