// sliders
