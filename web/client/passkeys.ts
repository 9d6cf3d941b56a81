// Passkey forms. They are shown where the browser supports passkeys. Sending one asks the browser
// for a passkey first and puts its response into the form.
import { t } from './texts.ts'

const support =
  typeof PublicKeyCredential === 'undefined' ||
  !('parseRequestOptionsFromJSON' in PublicKeyCredential)
    ? null
    : PublicKeyCredential
const forms = [...document.querySelectorAll<HTMLFormElement>('form[data-passkey]')]

const responseField = (form: HTMLFormElement): HTMLInputElement | null =>
  form.querySelector('input[name=response]')

async function requestCredential(
  credentials: typeof PublicKeyCredential,
  { passkey, options = '{}' }: DOMStringMap,
): Promise<string> {
  const credential =
    passkey === 'create'
      ? await navigator.credentials.create({
          publicKey: credentials.parseCreationOptionsFromJSON(JSON.parse(options)),
        })
      : await navigator.credentials.get({
          publicKey: credentials.parseRequestOptionsFromJSON(JSON.parse(options)),
        })
  return JSON.stringify(credential)
}

/** Why the browser gave no passkey, where the person can do something about it. */
function failureText(error: unknown): string {
  switch (error instanceof DOMException ? error.name : '') {
    case 'InvalidStateError':
      return t('This device has a passkey for your account already.')
    case 'SecurityError':
      return t(
        'This page was opened at another address than that of the site. Passkeys work only there.',
      )
    default:
      return t('No passkey was given. Try again.')
  }
}

if (support) {
  for (const form of forms) form.hidden = false
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target
      const field =
        form instanceof HTMLFormElement && form.dataset.passkey !== undefined
          ? responseField(form)
          : null
      if (!(form instanceof HTMLFormElement) || !field || field.value !== '') return
      event.preventDefault()
      const message = form.querySelector<HTMLElement>('[data-passkey-error]')
      if (message) message.hidden = true
      requestCredential(support, form.dataset).then(
        (value) => {
          field.value = value
          form.requestSubmit()
        },
        (error: unknown) => {
          if (!message) return
          message.textContent = failureText(error)
          message.hidden = false
        },
      )
    },
    true,
  )
}

// A response is valid once, so a page that comes back from the history needs a new one.
addEventListener('pageshow', () => {
  for (const form of forms) {
    const field = responseField(form)
    if (field) field.value = ''
  }
})
