import {
  finishSignIn,
  forgotPassword,
  getPendingSignIn,
  KNOWN_BROWSER_LIFETIME_MS,
  knownBrowserToken,
  resetPassword,
  signIn,
  signInWithPasskey,
  signOut,
  startPasskeySignIn,
  type NewSignIn,
} from '#features/accounts/index.ts'
import { listSignOnProviders, signInWithDirectory } from '#features/sso/index.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/flash.tsx'
import { Field, Form, FormActions } from '../../components/form.tsx'
import { PageHead } from '../../components/layout.tsx'
import {
  clearCookie,
  KNOWN_BROWSER_COOKIE,
  PENDING_SIGN_IN_COOKIE,
  readCookie,
  setCookie,
  SIGN_IN_COOKIE,
} from '../../cookies.ts'
import { appearanceCookie } from '../../appearance.ts'
import { localeCookie, toLocale } from '../../locale.ts'
import { withQuery } from '../../paths.ts'
import {
  action,
  redirectWithFlash,
  form,
  page,
  redirect,
  safeRedirectPath,
  type DirectResponse,
  type Fields,
  type Visit,
} from '../../site.ts'
import { fieldError, formError, Shell } from '../shell.tsx'
import { SpentLink } from './spent-link.tsx'
import { sendsMail } from './sends-mail.ts'
import { PasskeyForm } from './passkey-form.tsx'
import { rich, t } from '../../text.ts'

/** As long as the input may be. */
const MAX_COOKIE_LENGTH = 400

/** The message of an operation as a sentence. */
const sentence = (message: string): string =>
  `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}.`

export const isSecure = (visit: Visit): boolean =>
  visit.hearth.settings.site_url.startsWith('https:')

/**
 * Completes a sign-in. Its secret goes into the cookie only. The browser is known from now on, so
 * that strangers who try wrong passwords for the account do not delay it.
 */
export function completeSignIn(visit: Visit, output: NewSignIn, next: string): DirectResponse {
  const { secret, user } = output
  if (secret === null) throw new TypeError('a sign-in without a secret')
  const secure = isSecure(visit)
  const away = redirect(next, 303, {
    'set-cookie': setCookie(secure, SIGN_IN_COOKIE, secret, 30 * 86_400),
  })
  const known = knownBrowserToken(visit.hearth, user.id)
  const knownSeconds = KNOWN_BROWSER_LIFETIME_MS / SECOND
  const { headers } = away.response
  // What the person has chosen elsewhere holds in this browser too.
  if (user.theme !== null)
    headers.append(
      'set-cookie',
      appearanceCookie({ ...visit.appearance, theme: user.theme }, { secure }),
    )
  const locale = toLocale(user.locale)
  if (locale !== null) headers.append('set-cookie', localeCookie(locale, { secure }))
  headers.append('set-cookie', setCookie(secure, KNOWN_BROWSER_COOKIE, known, knownSeconds))
  if (readCookie(visit.request, secure, PENDING_SIGN_IN_COOKIE) !== null)
    headers.append('set-cookie', clearCookie(secure, PENDING_SIGN_IN_COOKIE))
  return away
}

/** The input `browser` of the operations that sign in. */
function knownBrowser(visit: Visit): { browser?: string } {
  const browser = readCookie(visit.request, isSecure(visit), KNOWN_BROWSER_COOKIE)
  return browser === null || browser.length > MAX_COOKIE_LENGTH ? {} : { browser }
}

/**
 * Continues after the first factor: to the page that the visitor wanted, or to the second factor.
 */
export function continueSignIn(
  visit: Visit,
  output: NewSignIn,
  next: string | null,
): DirectResponse {
  if (output.second_factor.length === 0) return completeSignIn(visit, output, next ?? '/')
  return redirect(withQuery('/login', { next: next ?? undefined }), 303, {
    'set-cookie': setCookie(isSecure(visit), PENDING_SIGN_IN_COOKIE, output.secret ?? '', 600),
  })
}

type Step = {
  username: string
  second_factor: string[]
  passkey: { options: string; state: string } | null
}

/**
 * What the sign-in of this browser still requires. Null when none is in progress, or when the
 * visitor starts again.
 */
async function pendingStep(visit: Visit): Promise<Step | null> {
  const pending = readCookie(visit.request, isSecure(visit), PENDING_SIGN_IN_COOKIE)
  if (pending === null || visit.url.searchParams.has('again')) return null
  try {
    return await visit.call(getPendingSignIn, { pending })
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

const Next = ({ visit }: { visit: Visit }) => (
  <input
    type="hidden"
    name="next"
    value={
      visit.form.values.optional('next') ??
      safeRedirectPath(visit.url.searchParams.get('next')) ??
      ''
    }
  />
)

const CodeStep = ({ visit, step }: { visit: Visit; step: Step }) => (
  <Shell visit={visit} title={t('Second factor')} width="narrow" noindex>
    <PageHead
      title={t('Second factor')}
      lead={t('One more step to sign in as {username}.', { username: step.username })}
    />
    <Card>
      {step.passkey && (
        <PasskeyForm action="/login" csrf={visit.csrf} kind="get" passkey={step.passkey} explained>
          <Next visit={visit} />
          <FormActions>
            <Button variant={step.second_factor.includes('totp') ? 'plain' : 'primary'} icon="key">
              {t('Use a passkey')}
            </Button>
          </FormActions>
        </PasskeyForm>
      )}
      <Form action="/login" csrf={visit.csrf} error={formError(visit, 'code')}>
        <Next visit={visit} />
        <Field
          name="code"
          label={t('Code')}
          required
          mono
          autofocus
          autocomplete="one-time-code"
          inputmode={step.second_factor.includes('totp') ? 'numeric' : 'text'}
          hint={
            step.second_factor.includes('totp')
              ? t('Six digits from your authenticator, or one of your recovery codes.')
              : t('One of your recovery codes.')
          }
          error={fieldError(visit, 'code')}
        />
        <FormActions>
          <Button variant="primary">{t('Sign in')}</Button>
          <a href="/login?again=1">{t('Start over')}</a>
        </FormActions>
      </Form>
    </Card>
  </Shell>
)

const PasswordForm = ({ visit, directory }: { visit: Visit; directory: string | null }) => (
  <Form action="/login" csrf={visit.csrf} error={formError(visit, 'login', 'password')}>
    <Next visit={visit} />
    <Field
      name="login"
      label={t('Username or email address')}
      required
      autocomplete="username"
      autofocus
      mono
      value={visit.form.values.text('login')}
      error={fieldError(visit, 'login')}
    />
    <Field
      name="password"
      label={t('Password')}
      type="password"
      required
      autocomplete="current-password"
      hint={directory === null ? undefined : t('Of this site or of {directory}.', { directory })}
      error={fieldError(visit, 'password')}
    />
    <FormActions>
      <Button variant="primary">{t('Sign in')}</Button>
      <a href="/forgot">{t('Forgot your password?')}</a>
    </FormActions>
  </Form>
)

const RegisterHint = ({ next }: { next: string | null }) => (
  <p class="muted">
    {rich('New here? <a>Create an account</a>', {
      a: (inner) => <a href={withQuery('/register', { next: next ?? undefined })}>{inner}</a>,
    })}
  </p>
)

export const signInPage = page({
  path: '/login',
  load: async (visit) => {
    const next = safeRedirectPath(visit.url.searchParams.get('next'))
    if (visit.viewer) return redirect(next ?? '/', 302)
    const step = await pendingStep(visit)
    if (step) return { step, next, ways: null, passkey: null }
    const [ways, passkey] = await Promise.all([
      visit.call(listSignOnProviders, {}),
      visit.call(startPasskeySignIn, {}),
    ])
    return { step, next, ways, passkey }
  },
  view: ({ step, next, ways, passkey }, visit) => {
    if (step) return <CodeStep visit={visit} step={step} />
    const refused = visit.proxyRefusal === null ? null : sentence(visit.proxyRefusal.message)
    const everyone = ways?.passwords === 'everyone' || ways?.directory != null
    const password = <PasswordForm visit={visit} directory={ways?.directory ?? null} />
    return (
      <Shell visit={visit} title={t('Sign in')} width="narrow" noindex>
        <PageHead title={t('Sign in')} />
        {refused !== null && (
          <Notice
            kind="bad"
            title={t('{proxy} could not sign you in', { proxy: ways?.proxy ?? t('The proxy') })}
          >
            {refused}
          </Notice>
        )}
        <Card>
          {ways && ways.providers.length > 0 && (
            <div class="stack">
              {ways.providers.map(({ id, name }) => (
                <LinkButton
                  href={withQuery(`/login/sso/${id}`, { next: next ?? undefined })}
                  variant={everyone ? 'plain' : 'primary'}
                  icon="shield"
                >
                  {rich('Sign in with {name}', { name })}
                </LinkButton>
              ))}
            </div>
          )}
          {everyone ? (
            password
          ) : (
            <details class="more" open={visit.form.error !== null}>
              <summary>{t('Sign in with a password (administrators)')}</summary>
              {password}
            </details>
          )}
          {passkey && (
            <PasskeyForm action="/login/passkey" csrf={visit.csrf} kind="get" passkey={passkey}>
              <Next visit={visit} />
              <FormActions>
                <Button icon="key">{t('Sign in with a passkey')}</Button>
              </FormActions>
            </PasskeyForm>
          )}
        </Card>
        {visit.hearth.settings.sign_up === 'open' && (
          <RegisterHint next={safeRedirectPath(visit.url.searchParams.get('next'))} />
        )}
      </Shell>
    )
  },
})

const passkeyOf = (fields: Fields): { state: string; response: string } => ({
  state: fields.text('state'),
  response: fields.text('response'),
})

/** Both steps have this address. Name, password and code may also arrive together. */
export const signInForm = action({
  path: '/login',
  page: signInPage,
  allowsAnonymous: true,
  submit: async (visit, fields) => {
    const next = safeRedirectPath(fields.text('next'))
    const pending = readCookie(visit.request, isSecure(visit), PENDING_SIGN_IN_COOKIE)
    const code = fields.optional('code')
    const browser = knownBrowser(visit)
    if (!fields.has('login') && pending !== null) {
      const proof =
        fields.optional('response') === undefined ? { code } : { passkey: passkeyOf(fields) }
      return continueSignIn(
        visit,
        await visit.call(finishSignIn, { pending, ...proof, ...browser }),
        next,
      )
    }
    const login = fields.text('login').trim()
    const input = { login, password: fields.text('password'), ...browser }
    const output =
      visit.hearth.settings.sso.ldap === null
        ? await visit.call(signIn, input)
        : await visit.call(signInWithDirectory, input)
    if (output.second_factor.length === 0 || code === undefined)
      return continueSignIn(visit, output, next)
    return continueSignIn(
      visit,
      await visit.call(finishSignIn, { pending: output.secret ?? '', code, ...browser }),
      next,
    )
  },
})

export const passkeySignInForm = form({
  path: '/login/passkey',
  page: signInPage,
  allowsAnonymous: true,
  operation: signInWithPasskey,
  input: passkeyOf,
  done: (output, visit, fields) =>
    completeSignIn(visit, output, safeRedirectPath(fields.text('next')) ?? '/'),
})

export const signOutForm = action({
  path: '/logout',
  submit: async (visit) => {
    await visit.call(signOut, {})
    const away = redirectWithFlash(visit, '/', 'signed-out')
    away.response.headers.append('set-cookie', clearCookie(isSecure(visit), SIGN_IN_COOKIE))
    return away
  },
})

export const forgotPage = page({
  path: '/forgot',
  view: (_, visit) => (
    <Shell visit={visit} title={t('Set a new password')} width="narrow" noindex>
      <PageHead
        title={t('Set a new password')}
        lead={
          sendsMail(visit)
            ? t('We mail a link to the address of your account. It works for one hour.')
            : t('This site sends no mail. Ask an administrator for a link to set a new password.')
        }
      />
      {sendsMail(visit) && (
        <Card>
          <Form action="/forgot" csrf={visit.csrf} error={formError(visit, 'email')}>
            <Field
              name="email"
              label={t('Email address')}
              type="email"
              required
              autofocus
              autocomplete="email"
              value={visit.form.values.text('email')}
              error={fieldError(visit, 'email')}
            />
            <FormActions>
              <Button variant="primary">{t('Send link')}</Button>
            </FormActions>
          </Form>
        </Card>
      )}
      <p>
        <a href="/login">{t('Back to sign in')}</a>
      </p>
    </Shell>
  ),
})

export const forgotForm = form({
  path: '/forgot',
  page: forgotPage,
  allowsAnonymous: true,
  operation: forgotPassword,
  input: (fields) => ({ email: fields.text('email').trim() }),
  done: (_, visit) =>
    redirectWithFlash(visit, '/login', sendsMail(visit) ? 'reset-sent' : 'reset-by-admin'),
})

export const resetPage = page({
  path: '/reset',
  load: ({ url, form }) => ({ token: url.searchParams.get('token') ?? form.values.text('token') }),
  view: ({ token }, visit) => (
    <Shell visit={visit} title={t('Choose a password')} width="narrow" noindex>
      <PageHead
        title={t('Choose a password')}
        lead={t(
          'This ends all sign-ins, access tokens, agents, approved applications and feed links of the account. Make new tokens in your settings afterwards.',
        )}
      />
      {fieldError(visit, 'token') === null ? (
        <Card>
          <Form action="/reset" csrf={visit.csrf} error={formError(visit, 'password')}>
            <input type="hidden" name="token" value={token} />
            <Field
              name="password"
              label={t('New password')}
              type="password"
              required
              autofocus
              minlength={10}
              autocomplete="new-password"
              hint={t('At least 10 characters.')}
              error={fieldError(visit, 'password')}
            />
            <FormActions>
              <Button variant="primary">{t('Set password')}</Button>
            </FormActions>
          </Form>
        </Card>
      ) : (
        <SpentLink visit={visit} message={fieldError(visit, 'token') ?? ''} again="/forgot" />
      )}
    </Shell>
  ),
})

export const resetForm = form({
  path: '/reset',
  page: resetPage,
  allowsAnonymous: true,
  operation: resetPassword,
  input: (fields) => ({ token: fields.text('token'), password: fields.text('password') }),
  done: (_, visit) => redirectWithFlash(visit, '/login', 'password-set'),
})
