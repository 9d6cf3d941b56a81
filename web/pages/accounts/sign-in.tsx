import { forgotPassword, resetPassword, signIn, signOut } from '#features/accounts/index.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Field, Form, FormActions } from '../../components/form.tsx'
import { PageHead } from '../../components/layout.tsx'
import { clearCookie, setCookie, SIGN_IN } from '../../cookies.ts'
import { action, flashTo, form, page, redirect, safeNext, type Visit } from '../../site.ts'
import { fieldError, formError, Shell } from '../shell.tsx'

const isSecure = (visit: Visit): boolean => visit.hearth.settings.site_url.startsWith('https:')

/** Goes on with a new sign-in: its secret goes into the cookie and nowhere else. */
export function signedInTo(visit: Visit, secret: string | null, next: string) {
  if (secret === null) throw new TypeError('a sign-in without a secret')
  return redirect(next, 303, { 'set-cookie': setCookie(isSecure(visit), SIGN_IN, secret, 30 * 86_400) })
}

export const signInPage = page({
  path: '/login',
  load: ({ viewer, url }) => (viewer ? redirect(safeNext(url.searchParams.get('next')) ?? '/', 302) : { next: safeNext(url.searchParams.get('next')) }),
  view: ({ next }, visit) => (
    <Shell visit={visit} title="Sign in" width="narrow" noindex>
      <PageHead title="Sign in" />
      <Card>
        <Form action="/login" csrf={visit.csrf} error={formError(visit, 'login', 'password')}>
          <input type="hidden" name="next" value={visit.form.values.optional('next') ?? next ?? ''} />
          <Field
            name="login" label="Username or email address" required autocomplete="username" autofocus mono
            value={visit.form.values.text('login')} error={fieldError(visit, 'login')}
          />
          <Field name="password" label="Password" type="password" required autocomplete="current-password" error={fieldError(visit, 'password')} />
          <FormActions>
            <Button look="primary">Sign in</Button>
            <a href="/forgot">Forgot your password?</a>
          </FormActions>
        </Form>
      </Card>
      {visit.hearth.settings.sign_up === 'open' && (
        <p class="muted">
          New here? <a href="/register">Make an account</a>
        </p>
      )}
    </Shell>
  ),
})

export const signInForm = form({
  path: '/login',
  page: signInPage,
  open: true,
  operation: signIn,
  input: (fields, { request }) => ({
    login: fields.text('login').trim(), password: fields.text('password'), user_agent: request.headers.get('user-agent') ?? undefined,
  }),
  done: (output, visit, fields) => signedInTo(visit, output.secret, safeNext(fields.text('next')) ?? '/'),
})

export const signOutForm = action({
  path: '/logout',
  submit: async (visit) => {
    await visit.call(signOut, {})
    const away = flashTo(visit, '/', 'signed-out')
    away.response.headers.append('set-cookie', clearCookie(isSecure(visit), SIGN_IN))
    return away
  },
})

export const forgotPage = page({
  path: '/forgot',
  view: (_, visit) => (
    <Shell visit={visit} title="Set a new password" width="narrow" noindex>
      <PageHead title="Set a new password" lead="We mail a link to the address of your account. It works for one hour." />
      <Card>
        <Form action="/forgot" csrf={visit.csrf} error={formError(visit, 'email')}>
          <Field name="email" label="Email address" type="email" required autofocus autocomplete="email" value={visit.form.values.text('email')} error={fieldError(visit, 'email')} />
          <FormActions>
            <Button look="primary">Send the link</Button>
          </FormActions>
        </Form>
      </Card>
    </Shell>
  ),
})

export const forgotForm = form({
  path: '/forgot',
  page: forgotPage,
  open: true,
  operation: forgotPassword,
  input: (fields) => ({ email: fields.text('email').trim() }),
  done: (_, visit) => flashTo(visit, '/login', 'reset-sent'),
})

export const resetPage = page({
  path: '/reset',
  load: ({ url, form }) => ({ token: url.searchParams.get('token') ?? form.values.text('token') }),
  view: ({ token }, visit) => (
    <Shell visit={visit} title="Choose a password" width="narrow" noindex>
      <PageHead title="Choose a password" lead="You are signed out everywhere once it is set." />
      <Card>
        <Form action="/reset" csrf={visit.csrf} error={formError(visit, 'password')}>
          <input type="hidden" name="token" value={token} />
          <Field
            name="password" label="New password" type="password" required autofocus minlength={10} autocomplete="new-password"
            hint="At least 10 characters." error={fieldError(visit, 'password')}
          />
          <FormActions>
            <Button look="primary">Set the password</Button>
          </FormActions>
        </Form>
      </Card>
    </Shell>
  ),
})

export const resetForm = form({
  path: '/reset',
  page: resetPage,
  open: true,
  operation: resetPassword,
  input: (fields) => ({ token: fields.text('token'), password: fields.text('password') }),
  done: (_, visit) => flashTo(visit, '/login', 'password-set'),
})
