/**
 * Signing in whom a proxy in front names: on whatever page the visitor opens, because there is
 * nothing to ask.
 */
import { signInByProxy } from '#features/sso/index.ts'
import { Refusal } from '#lib/errors.ts'
import { PENDING, readCookie } from '../../cookies.ts'
import { safeNext, type Away, type Visit } from '../../site.ts'
import { goOn, isSecure } from './sign-in.tsx'
import { noteRefusal } from './proxy-refusal.ts'

/**
 * Only a browser on its way to a page: programs that fetch would make a sign-in with every request.
 */
const wantsPage = ({ request }: Visit): boolean =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html')

/**
 * Where the visitor goes on with a new sign-in; null when there is nothing to do. Whom the proxy
 * names without their having an account here is a visitor like any other, and the sign-in page says
 * why.
 */
export async function arriveByProxy(visit: Visit): Promise<Away | null> {
  const { named, url } = visit
  if (named === null || !wantsPage(visit)) return null
  const atSignIn = url.pathname === '/login'
  // The second factor is being asked for.
  if (atSignIn && readCookie(visit.request, isSecure(visit), PENDING) !== null) return null
  try {
    const { sign_in } = await visit.call(signInByProxy, {
      named: { ...named, groups: named.groups && [...named.groups] },
    })
    return (
      sign_in &&
      goOn(
        visit,
        sign_in,
        safeNext(atSignIn ? (url.searchParams.get('next') ?? '/') : url.pathname + url.search),
      )
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    noteRefusal(visit.request, error)
    return null
  }
}
