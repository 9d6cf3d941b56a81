// The sliders of compared images move the edge of a swipe, or the weight of a blend.

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.dataset.imageSlider === undefined) return
  target.parentElement?.style.setProperty('--at', `${target.value}%`)
})
