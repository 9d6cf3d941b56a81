// Sign-in through an external provider: the redirect to it, and its callback. Both are plain
// requests, because the content security policy lets no form lead to another host.
import { finishSignOn, MAX_NEXT_LENGTH, signInByProxy, startSignOn } from '#features/sso/index.ts'
import { LinkButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { clearCookie, readCookie, setCookie, SIGN_ON_COOKIE } from '../../cookies.ts'
import {
  pageResponse,
  action,
  redirectWithFlash,
  page,
  redirect,
  safeRedirectPath,
  type Visit,
} from '../../site.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { continueSignIn, isSecure } from './sign-in.tsx'
import { rich, t } from '../../text.ts'

const attemptCookie = (visit: Visit, attempt: string): string =>
  setCookie(isSecure(visit), SIGN_ON_COOKIE, attempt, 600)

export const startSignOnPage = page({
  path: '/login/sso/:provider',
  load: async (visit) => {
    const next = safeRedirectPath(visit.url.searchParams.get('next'))
    if (visit.viewer) return redirect(next ?? '/', 302)
    const { url, attempt } = await visit.call(startSignOn, {
      provider: visit.params.provider ?? '',
      ...(next === null || next.length > MAX_NEXT_LENGTH ? {} : { next }),
    })
    return redirect(url, 302, { 'set-cookie': attemptCookie(visit, attempt) })
  },
  view: () => <></>,
})

export const finishSignOnPage = page({
  path: '/login/sso/:provider/callback',
  load: async (visit) => {
    const provider = visit.params.provider ?? ''
    const attempt = readCookie(visit.request, isSecure(visit), SIGN_ON_COOKIE) ?? ''
    const { sign_in, next } = await visit.call(finishSignOn, {
      provider,
      attempt,
      query: visit.url.search,
    })
    const away = sign_in
      ? continueSignIn(visit, sign_in, safeRedirectPath(next))
      : redirectWithFlash(visit, '/settings/security', 'identity-linked')
    away.response.headers.append('set-cookie', clearCookie(isSecure(visit), SIGN_ON_COOKIE))
    return away
  },
  view: () => <></>,
})

/** Linking starts with a form of this site, so that nobody can start it for another user. */
export const linkProviderForm = action({
  path: '/settings/security/link',
  submit: async (visit, fields) => {
    if (fields.text('provider') === 'header' && visit.proxyUser !== null) {
      await visit.call(signInByProxy, {
        named: {
          ...visit.proxyUser,
          groups: visit.proxyUser.groups && [...visit.proxyUser.groups],
        },
        link: true,
      })
      return redirectWithFlash(visit, '/settings/security', 'identity-linked')
    }
    const { url, attempt } = await visit.call(startSignOn, {
      provider: fields.text('provider'),
      link: true,
    })
    const shown = (
      <SettingsFrame visit={visit} title={t('Link a sign-in')} current="security">
        <Card>
          <p>{t('Sign in there once more. From then on it signs you in to this account.')}</p>
          <p>
            <LinkButton href={url} variant="primary">
              {rich('Continue to {host}', { host: new URL(url).host })}
            </LinkButton>
          </p>
        </Card>
      </SettingsFrame>
    )
    return pageResponse(visit, shown, { headers: { 'set-cookie': attemptCookie(visit, attempt) } })
  },
})
