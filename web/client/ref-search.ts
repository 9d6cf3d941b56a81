// The switch between branches and tags: finds names while typing, and moves by the arrow keys.
import { closestTo, fetchPage } from './dom.ts'

const DELAY_MS = 120

const timers = new WeakMap<HTMLFormElement, number>()

async function showFound(form: HTMLFormElement): Promise<void> {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string') query.set(name, value)
  const asked = query.toString()
  form.dataset.asked = asked
  const found = await fetchPage(`${form.action}?${asked}`)
  const list = form.parentElement?.querySelector('[data-ref-list]')
  const refs = found?.getElementById('refs')
  // An answer to an earlier query comes too late.
  if (list && refs && form.dataset.asked === asked) list.replaceChildren(...refs.childNodes)
}

document.addEventListener('input', (event) => {
  const form = closestTo<HTMLFormElement>(event, '[data-ref-search]')
  if (!form) return
  clearTimeout(timers.get(form))
  timers.set(
    form,
    window.setTimeout(() => void showFound(form), DELAY_MS),
  )
})

document.addEventListener(
  'toggle',
  (event) => {
    const menu = event.target
    if (menu instanceof HTMLDetailsElement && menu.open && matchMedia('(pointer: fine)').matches)
      menu.querySelector<HTMLInputElement>('[data-ref-search] [name=q]')?.focus()
  },
  true,
)

document.addEventListener('keydown', (event) => {
  const menu = closestTo(event, '.ref-menu[open]')
  if (!menu || event.isComposing) return
  const links = [...menu.querySelectorAll<HTMLElement>('.menu-panel a')]
  const current = links.findIndex((link) => link === document.activeElement)
  if (event.key === 'Enter' && current === -1 && event.target instanceof HTMLInputElement) {
    event.preventDefault()
    links[0]?.click()
  }
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  if (current + step < 0) menu.querySelector<HTMLElement>('[name=q]')?.focus()
  else links[Math.min(links.length - 1, current + step)]?.focus()
})
