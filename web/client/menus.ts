// Menus open towards the side that has room, and close on a click elsewhere or on Escape.

document.addEventListener(
  'toggle',
  (event) => {
    const panel =
      event.target instanceof HTMLDetailsElement && event.target.open
        ? event.target.querySelector(':scope > .menu-panel')
        : null
    if (!panel) return
    const { left, right } = panel.getBoundingClientRect()
    if (right > innerWidth) panel.classList.remove('menu-left')
    else if (left < 0) panel.classList.add('menu-left')
  },
  true,
)

const openMenus = (): HTMLDetailsElement[] => [
  ...document.querySelectorAll<HTMLDetailsElement>('details[data-menu][open]'),
]

document.addEventListener('click', (event) => {
  for (const menu of openMenus())
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false
})

/** Closes all menus and returns the focus to their buttons. */
export function closeMenus(): void {
  for (const menu of openMenus()) {
    menu.open = false
    menu.querySelector('summary')?.focus()
  }
}
