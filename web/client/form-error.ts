// Why a form was not taken.
import { createElement } from './dom.ts'
import { t } from './texts.ts'

/** Says above a form why it was not taken. */
export function showError(form: Element, text: string | null): void {
  form.querySelector('.notice-bad')?.remove()
  const notice = createElement('div', { class: 'notice notice-bad', role: 'alert' })
  notice.textContent = text ?? t('This could not be sent. Try again.')
  form.prepend(notice)
}
