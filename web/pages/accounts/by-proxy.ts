/** Signs in the user whom a trusted proxy names, on the first page that they open. */
import { signInByProxy } from '#features/sso/index.ts'
import { Refusal } from '#lib/errors.ts'
import { PENDING_SIGN_IN_COOKIE, readCookie } from '../../cookies.ts'
import { safeRedirectPath, type DirectResponse, type Visit } from '../../site.ts'
import { continueSignIn, isSecure } from './sign-in.tsx'

/** Whether a browser opens a page. Other clients would create a sign-in with every request. */
const wantsPage = ({ request }: Visit): boolean =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html')

/**
 * Redirects with a new sign-in. Null when there is nothing to do. A user who may not sign in stays
 * anonymous, and the sign-in page shows the reason.
 */
export async function signInByProxyHeader(
  visit: Visit,
): Promise<DirectResponse | Partial<Visit> | null> {
  const { proxyUser: named, url } = visit
  if (named === null || !wantsPage(visit)) return null
  const atSignIn = url.pathname === '/login'
  // The sign-in needs a second factor.
  if (atSignIn && readCookie(visit.request, isSecure(visit), PENDING_SIGN_IN_COOKIE) !== null)
    return null
  try {
    const { sign_in } = await visit.call(signInByProxy, {
      named: { ...named, groups: named.groups && [...named.groups] },
    })
    return (
      sign_in &&
      continueSignIn(
        visit,
        sign_in,
        safeRedirectPath(
          atSignIn ? (url.searchParams.get('next') ?? '/') : url.pathname + url.search,
        ),
      )
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { proxyRefusal: error }
  }
}
