/** A request to the website with its visitor. It creates the visits that pages and forms get. */
import type { Origin } from '#core/audit.ts'
import { anonymous, type Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type IncomingBytes, type Typed } from '#core/operation.ts'
import { principalOf } from '#core/principal.ts'
import { Moved, Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { contentSecurityPolicy } from './assets.ts'
import { type Appearance, readAppearance } from './appearance.ts'
import {
  clearCookie,
  csrfToken,
  FLASH_COOKIE,
  newVisitorSecret,
  readCookie,
  setCookie,
  SIGN_IN_COOKIE,
  VISITOR_COOKIE,
} from './cookies.ts'
import { findFlash } from './flashes.ts'
import { PageMarkdown } from './markdown/page-markdown.ts'
import { movedAddress } from './moved.ts'
import { emptyFormState, type FormState, type ProxyUser, type Visit } from './site.ts'
import { t } from './text.ts'

/** A page whose operations run longer is cancelled: browsers and readers have given up by then. */
const PAGE_TIMEOUT_MS = 30 * SECOND

const VISITOR_COOKIE_SECONDS = 86_400

/** The headers of every page. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `${contentSecurityPolicy}; form-action 'self'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'interest-cohort=(), camera=(), microphone=(), geolocation=()',
  'cache-control': 'private, no-cache',
}

/** The headers where no page shows an image of another site. */
const OWN_IMAGES_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'content-security-policy': `${contentSecurityPolicy.replace(' https: data:', ' data:')}; form-action 'self'`,
}

/** Finds the caller of a request by its token or sign-in cookie. Throws 401 for a bad token. */
export type FindCaller = (hearth: Hearth, request: Request) => Caller

export class VisitorRequest {
  readonly url: URL
  /** The path of the address without a slash at its end. */
  readonly path: string
  readonly caller: Caller
  /** The refusal of a bad token; the request is not answered as anonymous then. */
  readonly refusal: Refusal | null = null
  /** The secret that CSRF tokens are derived from: the sign-in's, or that of an anonymous visitor. */
  readonly secret: string
  /** Whether the browser sent that secret. Without it no form is accepted. */
  readonly hasCookie: boolean
  readonly markdown: PageMarkdown
  /** Cookies that the response sets. */
  readonly cookies: readonly string[]
  readonly #deadlineMs = performance.now() + PAGE_TIMEOUT_MS
  readonly #flash: string | null
  readonly #appearance: Appearance

  constructor(
    private readonly hearth: Hearth,
    readonly request: Request,
    private readonly origin: Origin,
    private readonly proxyUser: ProxyUser | null,
    private readonly findCaller: FindCaller,
  ) {
    this.url = new URL(request.url)
    this.path = this.url.pathname.replace(/(?<!\/)\/+$/, '') || '/'
    let caller: Caller = anonymous
    try {
      caller = findCaller(hearth, request)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.refusal = error
    }
    this.caller = caller
    this.markdown = new PageMarkdown(hearth, principalOf(caller, origin))
    const secure = hearth.settings.site_url.startsWith('https:')
    const signIn = readCookie(request, secure, SIGN_IN_COOKIE)
    const isAnonymous = caller.kind === 'anonymous'
    // A caller with a token alone has no cookie, and so can read but send no form.
    const secret = isAnonymous ? readCookie(request, secure, VISITOR_COOKIE) : signIn
    this.hasCookie = secret !== null
    this.secret = secret ?? newVisitorSecret()
    this.#flash = readCookie(request, secure, FLASH_COOKIE)
    this.#appearance = readAppearance(request, secure)
    const cookies: string[] = []
    if (!this.hasCookie)
      cookies.push(setCookie(secure, VISITOR_COOKIE, this.secret, VISITOR_COOKIE_SECONDS))
    if (signIn !== null && isAnonymous && this.refusal === null)
      cookies.push(clearCookie(secure, SIGN_IN_COOKIE))
    if (this.#flash !== null && request.method === 'GET')
      cookies.push(clearCookie(secure, FLASH_COOKIE))
    this.cookies = cookies
  }

  visit(params: Record<string, string> = {}, form: FormState = emptyFormState): Visit {
    const { hearth, request, url, caller, origin } = this
    const visit: Visit = {
      hearth,
      request,
      url,
      params,
      caller,
      form,
      ip: origin.ip,
      proxyUser: this.proxyUser,
      proxyRefusal: null,
      markdown: this.markdown,
      headers: hearth.settings.images.external === 'direct' ? PAGE_HEADERS : OWN_IMAGES_HEADERS,
      viewer: caller.kind === 'user' ? caller : null,
      csrf: csrfToken(this.secret),
      flash: findFlash(this.#flash),
      appearance: this.#appearance,
      call: (operation, input, bytes) => this.#call(operation, input, bytes),
      tryCall: (operation, input) => this.#tryCall(() => this.#call(operation, input)),
      forStream: () => ({
        ...visit,
        call: (operation, input) => this.#callAnew(operation, input),
        tryCall: (operation, input) => this.#tryCall(() => this.#callAnew(operation, input)),
      }),
    }
    return visit
  }

  /** A call in a stream, whose caller may have lost their rights since it began. */
  #callAnew<I, O>(operation: Typed<I, O>, input: I): Promise<O> {
    const caller = this.findCaller(this.hearth, this.request)
    if (!Bun.deepEquals(caller, this.caller))
      throw new Refusal('unauthenticated', t('The sign-in of this page has ended.'))
    return call(this.hearth, operation, caller, input, {
      signal: this.request.signal,
      origin: this.origin,
      deadlineMs: performance.now() + PAGE_TIMEOUT_MS,
    })
  }

  #call<I, O>(operation: Typed<I, O>, input: I, bytes?: IncomingBytes): Promise<O> {
    return call(this.hearth, operation, this.caller, input, {
      signal: this.request.signal,
      origin: this.origin,
      ...(bytes ? { bytes } : { deadlineMs: this.#deadlineMs }),
    })
  }

  /** Null for what does not exist for the caller, and for what the caller may not do. */
  async #tryCall<O>(run: () => Promise<O>): Promise<O | null> {
    try {
      return await run()
    } catch (error) {
      // The page itself has a new address: the error becomes a redirect.
      if (error instanceof Moved && movedAddress(this.url, error) !== null) throw error
      if (error instanceof Refusal && [401, 403, 404].includes(error.status)) return null
      throw error
    }
  }
}
