import {
  checkSetup,
  confirmEmail,
  resendEmailConfirmation,
  signIn,
} from '#features/accounts/index.ts'
import { register, setupForge } from '#features/workspaces/index.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Field, Form, FormActions } from '../../components/form.tsx'
import { Notice } from '../../components/flash.tsx'
import { PageHead } from '../../components/layout.tsx'
import { currentLocale } from '../../locale.ts'
import { withQuery } from '../../paths.ts'
import { action, redirectWithFlash, form, page, safeRedirectPath, type Visit } from '../../site.ts'
import { fieldError, formError, Shell } from '../shell.tsx'
import { completeSignIn, continueSignIn } from './sign-in.tsx'
import { SpentLink } from './spent-link.tsx'
import { sendsMail } from './sends-mail.ts'
import { rich, t } from '../../text.ts'

const AccountFields = ({
  visit,
  autofocus = true,
  email,
}: {
  visit: Visit
  autofocus?: boolean
  email?: string | null
}) => (
  <>
    <Field
      name="username"
      label={t('Username')}
      required
      autofocus={autofocus}
      mono
      maxlength={39}
      autocomplete="username"
      hint={t('Lowercase letters, digits and single hyphens.')}
      value={visit.form.values.text('username')}
      error={fieldError(visit, 'username')}
    />
    <Field
      name="email"
      label={t('Email address')}
      type="email"
      required
      autocomplete="email"
      value={visit.form.values.optional('email') ?? email ?? ''}
      error={fieldError(visit, 'email')}
    />
    <Field
      name="password"
      label={t('Password')}
      type="password"
      required
      minlength={10}
      autocomplete="new-password"
      hint={t('At least 10 characters.')}
      error={fieldError(visit, 'password')}
    />
  </>
)

export const setupPage = page({
  path: '/setup',
  load: async (visit) => {
    const code = visit.url.searchParams.get('code') ?? visit.form.values.text('code')
    await visit.call(checkSetup, { code })
    return { code }
  },
  view: ({ code }, visit) => (
    <Shell visit={visit} title={t('Set up Hearth')} width="narrow" noindex>
      <PageHead
        title={t('Set up Hearth')}
        lead={t(
          'Create the first account. It administers this forge and owns its first workspace.',
        )}
      />
      <Card>
        <Form
          action="/setup"
          csrf={visit.csrf}
          error={formError(visit, 'username', 'email', 'password', 'workspace')}
        >
          <input type="hidden" name="code" value={code} />
          <AccountFields visit={visit} />
          <Field
            name="workspace"
            label={t('Workspace')}
            mono
            maxlength={39}
            hint={t(
              'Owns repositories and is the first part of their address. Your username when left empty.',
            )}
            value={visit.form.values.text('workspace')}
            error={fieldError(visit, 'workspace')}
          />
          <FormActions>
            <Button variant="primary">{t('Create account')}</Button>
          </FormActions>
        </Form>
      </Card>
    </Shell>
  ),
})

export const setupForm = form({
  path: '/setup',
  page: setupPage,
  allowsAnonymous: true,
  operation: setupForge,
  input: (fields) => ({
    code: fields.text('code'),
    username: fields.text('username').trim(),
    email: fields.text('email').trim(),
    password: fields.text('password'),
    workspace: fields.optional('workspace'),
  }),
  done: (output, visit) => completeSignIn(visit, output, '/'),
})

/** The page that the visitor came from, such as the consent page of an application. */
const nextOf = ({ form: { values }, url }: Visit): string | null =>
  safeRedirectPath(values.optional('next') ?? url.searchParams.get('next'))

export const registerPage = page({
  path: '/register',
  load: ({ url, form, hearth }) => ({
    invite: url.searchParams.get('invite') ?? form.values.optional('invite') ?? null,
    mode: hearth.settings.sign_up,
  }),
  view: ({ invite, mode }, visit) => (
    <Shell visit={visit} title={t('Create an account')} width="narrow" noindex>
      <PageHead title={t('Create an account')} />
      {mode === 'closed' || mode === 'sso_only' || (mode === 'invite' && invite === null) ? (
        <Notice>
          {mode === 'invite'
            ? t('Accounts on this site are by invitation. Open the link that a member sent you.')
            : mode === 'sso_only'
              ? t('Sign in through your organization to create an account.')
              : t('This site takes no new accounts. Ask an administrator.')}
        </Notice>
      ) : (
        <Card>
          <Form
            action="/register"
            csrf={visit.csrf}
            error={formError(visit, 'username', 'email', 'password')}
          >
            {invite !== null && <input type="hidden" name="invite" value={invite} />}
            {nextOf(visit) !== null && (
              <input type="hidden" name="next" value={nextOf(visit) ?? ''} />
            )}
            <AccountFields visit={visit} />
            <FormActions>
              <Button variant="primary">{t('Create account')}</Button>
            </FormActions>
          </Form>
        </Card>
      )}
      <p class="muted">
        {rich('Have one? <a>Sign in</a>', {
          a: (inner) => (
            <a href={withQuery('/login', { next: nextOf(visit) ?? undefined })}>{inner}</a>
          ),
        })}
      </p>
    </Shell>
  ),
})

export const registeredPage = page({
  path: '/registered',
  view: (_, visit) => (
    <Shell visit={visit} title={t('Confirm your address')} width="narrow" noindex>
      <PageHead
        title={t('Confirm your address')}
        lead={
          sendsMail(visit)
            ? t('We sent a link to your address. Open it within 24 hours.')
            : t(
                'This site sends no mail. Ask an administrator for your confirmation link, and open it within 24 hours.',
              )
        }
      />
      <p>
        {t(
          'You can read until then; creating repositories, pushing and commenting need a confirmed address.',
        )}
      </p>
      {visit.viewer === null ? (
        <a href={withQuery('/login', { next: nextOf(visit) ?? undefined })}>{t('Sign in')}</a>
      ) : (
        <LinkButton href={nextOf(visit) ?? '/'} variant="primary">
          {t('Continue')}
        </LinkButton>
      )}
    </Shell>
  ),
})

export const registerForm = form({
  path: '/register',
  page: registerPage,
  allowsAnonymous: true,
  operation: register,
  input: (fields) => ({
    username: fields.text('username').trim(),
    email: fields.text('email').trim(),
    password: fields.text('password'),
    invite: fields.optional('invite'),
    // Mail is in the language that the page was shown in. English stays what the browser asks for.
    locale: currentLocale() === 'en' ? undefined : currentLocale().slice(0, 2),
  }),
  // Signs in at once, so that the visitor is signed in when the address is confirmed.
  done: async (_, visit, fields) => {
    const next = withQuery('/registered', {
      next: safeRedirectPath(fields.text('next')) ?? undefined,
    })
    const login = { login: fields.text('username').trim(), password: fields.text('password') }
    return continueSignIn(visit, await visit.call(signIn, login), next)
  },
})

export const confirmPage = page({
  path: '/confirm',
  load: ({ url, form }) => ({ token: url.searchParams.get('token') ?? form.values.text('token') }),
  view: ({ token }, visit) => (
    <Shell visit={visit} title={t('Confirm your address')} width="narrow" noindex>
      <PageHead
        title={t('Confirm your address')}
        lead={t('A confirmed address lets you create repositories, push and open issues.')}
      />
      {fieldError(visit, 'token') === null ? (
        <Card>
          <Form action="/confirm" csrf={visit.csrf} error={formError(visit)}>
            <input type="hidden" name="token" value={token} />
            <FormActions>
              <Button variant="primary">{t('Confirm address')}</Button>
            </FormActions>
          </Form>
        </Card>
      ) : (
        <SpentLink
          visit={visit}
          message={fieldError(visit, 'token') ?? ''}
          again="/settings/emails"
        />
      )}
    </Shell>
  ),
})

// A POST, because mail scanners open links and would confirm addresses.
export const confirmForm = form({
  path: '/confirm',
  page: confirmPage,
  allowsAnonymous: true,
  operation: confirmEmail,
  input: (fields) => ({ token: fields.text('token') }),
  done: (_, visit) =>
    visit.viewer
      ? redirectWithFlash(visit, '/', 'confirmed')
      : redirectWithFlash(visit, '/login', 'confirmed-signed-out'),
})

export const resendForm = action({
  path: '/settings/emails/confirmation',
  submit: async (visit, fields) => {
    await visit.call(resendEmailConfirmation, { email: fields.text('email') })
    return redirectWithFlash(
      visit,
      safeRedirectPath(fields.text('next')) ?? '/',
      sendsMail(visit) ? 'confirmation-sent' : 'link-by-admin',
    )
  },
})
