// A form that a passkey fills in. It stays hidden until the script has seen that the browser knows
// passkeys; the script asks for one when the form is sent, puts the answer into `response`, and
// sends it on.
import type { Child } from '../../jsx/html.ts'
import { CsrfField } from '../../components/form.tsx'

export const PasskeyForm = (props: {
  action: string
  csrf: string
  /** `create` makes a passkey, `get` shows one. */
  kind: 'create' | 'get'
  passkey: { options: string; state: string }
  children?: Child
}) => (
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
)
