// A form that a passkey fills in. It is hidden until the browser script finds support for passkeys.
// On submit the script asks for a passkey, puts its answer into `response`, and sends the form.
import type { Child } from '../../jsx/html.ts'
import { CsrfField } from '../../components/form.tsx'
import { t } from '../../text.ts'

export const PasskeyForm = (props: {
  action: string
  csrf: string
  /** `create` registers a passkey, `get` signs with one. */
  kind: 'create' | 'get'
  passkey: { options: string; state: string }
  children?: Child
  /** Whether a note is shown in its place where passkeys are not supported. */
  explained?: boolean
}) => (
  <>
    <form
      class="form"
      action={props.action}
      method="post"
      data-once
      data-passkey={props.kind}
      data-options={props.passkey.options}
      hidden
    >
      <CsrfField csrf={props.csrf} />
      <input type="hidden" name="state" value={props.passkey.state} />
      <input type="hidden" name="response" value="" />
      {props.children}
      <p class="field-error" role="alert" data-passkey-error hidden></p>
    </form>
    {props.explained && (
      <p class="muted no-passkeys">
        {t('Passkeys need JavaScript and a browser that supports them.')}
      </p>
    )}
  </>
)
