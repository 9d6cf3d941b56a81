// Signing in through a provider of the settings: away to it, and back with what it says. Both are
// plain visits, because the policy of these pages lets no form lead to another host.
import {
  finishSignOn,
  LONGEST_SIGN_ON_NEXT,
  signInByProxy,
  startSignOn,
} from '#features/sso/index.ts'
import { LinkButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { clearCookie, readCookie, setCookie, SIGN_ON } from '../../cookies.ts'
import { renderPage } from '../../jsx/html.ts'
import { action, Away, flashTo, page, redirect, safeNext, type Visit } from '../../site.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { goOn, isSecure } from './sign-in.tsx'

const keep = (visit: Visit, attempt: string): string =>
  setCookie(isSecure(visit), SIGN_ON, attempt, 600)

export const startSignOnPage = page({
  path: '/login/sso/:provider',
  load: async (visit) => {
    const next = safeNext(visit.url.searchParams.get('next'))
    if (visit.viewer) return redirect(next ?? '/', 302)
    const { url, attempt } = await visit.call(startSignOn, {
      provider: visit.params['provider'] ?? '',
      ...(next === null || next.length > LONGEST_SIGN_ON_NEXT ? {} : { next }),
    })
    return redirect(url, 302, { 'set-cookie': keep(visit, attempt) })
  },
  view: () => <></>,
})

export const finishSignOnPage = page({
  path: '/login/sso/:provider/callback',
  load: async (visit) => {
    const provider = visit.params['provider'] ?? ''
    const attempt = readCookie(visit.request, isSecure(visit), SIGN_ON) ?? ''
    const { sign_in, next } = await visit.call(finishSignOn, {
      provider,
      attempt,
      query: visit.url.search,
    })
    const away = sign_in
      ? goOn(visit, sign_in, safeNext(next))
      : flashTo(visit, '/settings/security', 'identity-linked')
    away.response.headers.append('set-cookie', clearCookie(isSecure(visit), SIGN_ON))
    return away
  },
  view: () => <></>,
})

/**
 * Linking begins with a form of this site, so that nobody can begin it for somebody else; from
 * there it is a link.
 */
export const linkProviderForm = action({
  path: '/settings/security/link',
  submit: async (visit, fields) => {
    if (fields.text('provider') === 'header' && visit.named !== null) {
      await visit.call(signInByProxy, {
        named: { ...visit.named, groups: visit.named.groups && [...visit.named.groups] },
        link: true,
      })
      return flashTo(visit, '/settings/security', 'identity-linked')
    }
    const { url, attempt } = await visit.call(startSignOn, {
      provider: fields.text('provider'),
      link: true,
    })
    const shown = (
      <SettingsFrame visit={visit} title="Link a sign-in" current="security">
        <Card>
          <p>Sign in there once more. From then on it signs you in to this account.</p>
          <p>
            <LinkButton href={url} look="primary">
              Go on to {new URL(url).host}
            </LinkButton>
          </p>
        </Card>
      </SettingsFrame>
    )
    return new Away(
      new Response(renderPage(shown), {
        headers: { ...visit.headers, 'set-cookie': keep(visit, attempt) },
      }),
    )
  },
})
