// Scrolls a strip of tabs that is wider than the window to its current tab.

for (const strip of document.querySelectorAll<HTMLElement>('.tabs ul, .sidenav')) {
  const current = strip.querySelector<HTMLElement>('[aria-current]')
  if (current && strip.scrollWidth > strip.clientWidth)
    strip.scrollLeft =
      current.offsetLeft - strip.offsetLeft - (strip.clientWidth - current.offsetWidth) / 2
}
