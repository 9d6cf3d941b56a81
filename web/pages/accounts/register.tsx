import { checkSetup, confirmEmail, resendEmailConfirmation } from '#features/accounts/index.ts'
import { register, setupForge } from '#features/workspaces/index.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Field, Form, FormActions } from '../../components/form.tsx'
import { Notice } from '../../components/flash.tsx'
import { PageHead } from '../../components/layout.tsx'
import { withQuery } from '../../paths.ts'
import { action, redirectWithFlash, form, page, safeRedirectPath, type Visit } from '../../site.ts'
import { fieldError, formError, Shell } from '../shell.tsx'
import { completeSignIn } from './sign-in.tsx'

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
      label="Username"
      required
      autofocus={autofocus}
      mono
      maxlength={39}
      autocomplete="username"
      hint="Lowercase letters, digits and single hyphens."
      value={visit.form.values.text('username')}
      error={fieldError(visit, 'username')}
    />
    <Field
      name="email"
      label="Email address"
      type="email"
      required
      autocomplete="email"
      value={visit.form.values.optional('email') ?? email ?? ''}
      error={fieldError(visit, 'email')}
    />
    <Field
      name="password"
      label="Password"
      type="password"
      required
      minlength={10}
      autocomplete="new-password"
      hint="At least 10 characters."
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
    <Shell visit={visit} title="Set up Hearth" width="narrow" noindex>
      <PageHead
        title="Set up Hearth"
        lead="Make the first account. It administers this forge and owns its first workspace."
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
            label="Workspace"
            mono
            maxlength={39}
            hint="Owns repositories and is the first part of their address. Your username when left empty."
            value={visit.form.values.text('workspace')}
            error={fieldError(visit, 'workspace')}
          />
          <FormActions>
            <Button variant="primary">Make the account</Button>
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
    <Shell visit={visit} title="Make an account" width="narrow" noindex>
      <PageHead title="Make an account" />
      {mode === 'closed' || mode === 'sso_only' || (mode === 'invite' && invite === null) ? (
        <Notice>
          {mode === 'invite'
            ? 'This forge is by invite: open the link that somebody here sent you.'
            : mode === 'sso_only'
              ? 'Accounts here are made by signing in through your organisation.'
              : 'This forge takes no new accounts. Ask its administrator.'}
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
              <Button variant="primary">Make the account</Button>
            </FormActions>
          </Form>
        </Card>
      )}
      <p class="muted">
        Have one? <a href={withQuery('/login', { next: nextOf(visit) ?? undefined })}>Sign in</a>
      </p>
    </Shell>
  ),
})

export const registeredPage = page({
  path: '/registered',
  view: (_, visit) => (
    <Shell visit={visit} title="Check your mail" width="narrow" noindex>
      <PageHead
        title="Check your mail"
        lead="We sent a link to the address that you gave. Open it within 24 hours to confirm the address."
      />
      <p>
        Until then you can sign in and read.{' '}
        <a href={withQuery('/login', { next: nextOf(visit) ?? undefined })}>Sign in</a>
      </p>
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
  }),
  done: (_, __, fields) =>
    withQuery('/registered', { next: safeRedirectPath(fields.text('next')) ?? undefined }),
})

export const confirmPage = page({
  path: '/confirm',
  load: ({ url, form }) => ({ token: url.searchParams.get('token') ?? form.values.text('token') }),
  view: ({ token }, visit) => (
    <Shell visit={visit} title="Confirm your address" width="narrow" noindex>
      <PageHead
        title="Confirm your address"
        lead="One click, and you can make repositories, push, and open issues."
      />
      <Card>
        <Form action="/confirm" csrf={visit.csrf} error={formError(visit)}>
          <input type="hidden" name="token" value={token} />
          <FormActions>
            <Button variant="primary">Confirm</Button>
          </FormActions>
        </Form>
      </Card>
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
  done: (_, visit) => redirectWithFlash(visit, visit.viewer ? '/' : '/login', 'confirmed'),
})

export const resendForm = action({
  path: '/settings/emails/confirmation',
  submit: async (visit, fields) => {
    await visit.call(resendEmailConfirmation, { email: fields.text('email') })
    return redirectWithFlash(
      visit,
      safeRedirectPath(fields.text('next')) ?? '/',
      'confirmation-sent',
    )
  },
})
