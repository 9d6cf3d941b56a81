/**
 * The HTTP entry point of the website. It finds the page, form or resource of an address, runs it
 * for the visitor, and renders refusals as pages. Features are unknown here: the site map names
 * them.
 */
import { nowhere, type Origin } from '#core/audit.ts'
import type { Hearth } from '#core/hearth.ts'
import { Moved, Refusal } from '#lib/errors.ts'
import { assets } from './assets.ts'
import { AssetResponder, compressPage } from './compression.ts'
import { CSRF_FIELD } from './components/form.tsx'
import { isCsrfToken } from './cookies.ts'
import { CrawlerDefense, isCostly, PROOF_PATH } from './crawlers.ts'
import {
  MAX_ANONYMOUS_BYTES,
  MAX_FIELDS_BYTES,
  readFields,
  readFilesForm,
  readFormWithAttachments,
  readUploadForm,
  type FormBody,
  type SentForm,
} from './form-body.ts'
import { renderPage, type Html } from './jsx/html.ts'
import { inPlaceOf, leadBack, previousPage } from './list-place.ts'
import { localeOf, withLocale, type Locale } from './locale.ts'
import { sentenceOf } from './messages.ts'
import { movedAddress } from './moved.ts'
import { addressHere } from './other-forges.ts'
import { errorPage } from './pages/error.tsx'
import { proofOfWorkPage } from './pages/proof-of-work.tsx'
import { searchFields } from './picker-search.ts'
import { Router, type Match } from './router.ts'
import {
  DirectResponse,
  NoSuchPage,
  redirect,
  safeRedirectPath,
  type Fields,
  type Form,
  type Page,
  type ProxyUser,
  type Resource,
  type SiteMap,
  type UploadStream,
  type Visit,
} from './site.ts'
import { PAGE_HEADERS, VisitorRequest, type FindCaller } from './visitor-request.ts'
import { t } from './text.ts'

/** What the website needs of an HTTP request, which `src/http/exchange.ts` provides. */
export type SiteExchange = {
  readonly id: string
  readonly request: Request
  readonly body: FormBody
  readonly origin: Origin
  /** The address of the connection itself. */
  readonly peerAddress: string | null
}

/**
 * Finds the user whom a trusted proxy has signed in. `peer` is the address of the connection
 * itself. Null when the installation does not trust the sender.
 */
type FindProxyUser = (hearth: Hearth, request: Request, peer: string | null) => ProxyUser | null

export class SiteServer {
  readonly #pages: Router<Page>
  readonly #forms: Router<Form>
  readonly #resources: Router<Resource>
  readonly #crawlers: CrawlerDefense
  readonly #assets = new AssetResponder()

  constructor(
    private readonly hearth: Hearth,
    private readonly map: SiteMap,
    private readonly findCaller: FindCaller,
    private readonly findProxyUser: FindProxyUser = () => null,
  ) {
    this.#pages = new Router(map.pages.map((page) => [page.path, page]))
    this.#forms = new Router(map.forms.map((form) => [form.path, form]))
    this.#resources = new Router(map.resources.map((resource) => [resource.path, resource]))
    this.#crawlers = new CrawlerDefense(hearth)
  }

  /** Responds to a request. Throws only unexpected errors; refusals become pages. */
  async handle(exchange: SiteExchange): Promise<Response> {
    const { request } = exchange
    const asset = assets.get(new URL(request.url).pathname)
    if (asset) return this.#assets.respond(request, asset)
    return withLocale(this.#localeOf(request), () => this.#handlePage(exchange))
  }

  #localeOf(request: Request): Locale {
    return localeOf(request, this.hearth.settings.site_url.startsWith('https:'))
  }

  async #handlePage({ request, body, origin, peerAddress }: SiteExchange): Promise<Response> {
    const proxyUser = this.findProxyUser(this.hearth, request, peerAddress)
    const visitor = this.#identify(request, origin, proxyUser)
    // Files, feeds and streams have no form, so their responses set no cookie and can be cached.
    let cookies = this.#isForResource(visitor) ? [] : visitor.cookies
    let response: Response
    try {
      response = await this.#respond(visitor, body)
    } catch (error) {
      cookies = visitor.cookies
      const refusal =
        error instanceof NoSuchPage
          ? new Refusal('not_found', t('There is no such page, or you may not see it.'))
          : error
      if (!(refusal instanceof Refusal)) throw error
      response = renderRefusal(refusal, visitor.visit(), null)
    }
    if (isCostly(visitor.path)) response.headers.set('x-robots-tag', 'noindex, nofollow')
    for (const cookie of cookies) response.headers.append('set-cookie', cookie)
    return compressPage(request, await fillMarkdown(visitor, response))
  }

  /** Renders the page of an unexpected error. The log holds the error under the request id. */
  refuse(exchange: { readonly request: Request; readonly id: string }, refusal: Refusal): Response {
    const visitor = this.#identify(exchange.request, nowhere, null)
    return withLocale(this.#localeOf(exchange.request), () =>
      renderRefusal(refusal, visitor.visit(), exchange.id),
    )
  }

  #identify(request: Request, origin: Origin, proxyUser: ProxyUser | null): VisitorRequest {
    return new VisitorRequest(this.hearth, request, origin, proxyUser, this.findCaller)
  }

  #isForResource({ request, path }: VisitorRequest): boolean {
    return request.method !== 'POST' && this.#resources.find(path) !== null
  }

  async #respond(visitor: VisitorRequest, body: FormBody): Promise<Response> {
    const { request, path } = visitor
    if (visitor.refusal !== null) throw visitor.refusal
    if (request.method === 'POST' && path === PROOF_PATH)
      return this.#acceptProof(visitor.visit(), body)
    if (request.method === 'POST') return this.#submit(this.#forms.find(path), visitor, body)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new Refusal('method_not_allowed', t('This address takes no such request.'), {
        headers: { allow: 'GET, HEAD, POST' },
      })
    const visit = visitor.visit()
    const challenge =
      visit.caller.kind === 'anonymous'
        ? this.#crawlers.challengeFor(request, path, visit.ip)
        : null
    if (challenge !== null) {
      const response = htmlResponse(proofOfWorkPage(visit, challenge), 429)
      response.headers.set('retry-after', '1')
      return response
    }
    const resource = this.#resources.find(path)
    if (resource) return resource.value.respond(visitor.visit(resource.params))
    const page = this.#pages.find(path)
    return page ? this.#show(page, visitor) : this.#redirectToFormPage(path)
  }

  async #show({ value: page, params }: Match<Page>, visitor: VisitorRequest): Promise<Response> {
    const visit = visitor.visit(params)
    const before = await this.map.beforePage?.(visit)
    if (before instanceof DirectResponse) return before.response
    return toResponse(await page.render(before ? { ...visit, ...before } : visit), page.status)
  }

  /** A refused form is shown at its own address. A reload there leads to the page of the form. */
  #redirectToFormPage(path: string): Response {
    const page = pathOfPage(this.#forms.find(path))
    if (page === null || page === path) throw new NoSuchPage()
    return redirect(page, 302).response
  }

  async #submit(
    match: Match<Form> | null,
    visitor: VisitorRequest,
    body: FormBody,
  ): Promise<Response> {
    if (!match) throw new NoSuchPage()
    const { value: form, params } = match
    const from = previousPage(visitor.request, visitor.url)
    const url = from?.pathname === pathOfPage(match) ? inPlaceOf(from, visitor.url) : visitor.url
    const visit = { ...visitor.visit(params), url }
    // Before the body is read, because whoever may not send it costs nothing then.
    if (!form.isAuthorizedByAddress && !isFromThisSite(visitor)) throw foreignForm()
    if (!form.allowsAnonymous && visit.viewer === null)
      throw new Refusal('unauthenticated', t('Sign in first.'))
    const sent = await this.#readForm(form, visitor, visit, body)
    const { fields } = sent
    if (!form.isAuthorizedByAddress && !isCsrfToken(visitor.secret, fields.text(CSRF_FIELD)))
      throw foreignForm()
    // The search of a picker: the page is shown again with what was typed, and with what was found.
    const searched = searchFields(fields)
    if (searched !== null && form.page !== null)
      return toResponse(
        await form.page.render({ ...visit, form: { values: searched, error: null } }),
        200,
      )
    try {
      if (sent.refusal) throw sent.refusal
      const result = await form.submit(visit, fields, sent.file ?? null, sent.files ?? null)
      const response = leadBack(result.response, from)
      return visitor.request.headers.has('hearth-in-place') ? nameAddress(response) : response
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // Browsers read the response only after they have sent the whole body.
      await sent.discardRest?.()
      if (form.page === null || error.status === 404) throw error
      const refused = {
        field: error.field,
        message: sentenceOf(error.message, error.field),
        reason: error.reason,
        details: error.details,
      }
      const again = { ...visit, form: { values: fields, error: refused } }
      return toResponse(await form.page.render(again), 422)
    }
  }

  async #readForm(
    form: Form,
    visitor: VisitorRequest,
    visit: Visit,
    body: FormBody,
  ): Promise<SentForm> {
    if (form.sendsFile) return readUploadForm(body)
    if (form.maxUploadBytes) return readFilesForm(body, form.maxUploadBytes)
    const { attach } = this.map
    const isMultipart = visitor.request.headers
      .get('content-type')
      ?.toLowerCase()
      .startsWith('multipart/form-data')
    if (!isMultipart || !attach || visit.viewer === null || visit.params.repo === undefined)
      return {
        fields: await readFields(
          body,
          visit.viewer === null ? MAX_ANONYMOUS_BYTES : MAX_FIELDS_BYTES,
        ),
      }
    const { max_bytes } = this.hearth.settings.attachments
    const requireToken = (fields: Fields): void => {
      // The token is the first field of every form.
      if (!isCsrfToken(visitor.secret, fields.text(CSRF_FIELD))) throw foreignForm()
    }
    const { keptFiles } = form
    const keep = keptFiles && {
      field: keptFiles.field,
      store: (file: UploadStream, fields: Fields) => {
        requireToken(fields)
        return keptFiles.store(visit, file, fields)
      },
    }
    const attachNow = (file: UploadStream, fields: Fields) => {
      requireToken(fields)
      return attach(visit, file)
    }
    return readFormWithAttachments(body, max_bytes, attachNow, keep)
  }

  /** Takes the answer to a proof of work. It needs no CSRF token, because it grants no rights. */
  async #acceptProof(visit: Visit, body: FormBody): Promise<Response> {
    const fields = await readFields(body, MAX_ANONYMOUS_BYTES)
    const cookie = this.#crawlers.acceptProof(
      fields.text('challenge'),
      fields.text('answer'),
      visit.ip,
    )
    if (cookie === null)
      throw new Refusal(
        'forbidden',
        t(
          'This is not the answer to a question of this site, or it came too late. Go back and reload the page.',
        ),
      )
    const next = safeRedirectPath(fields.text('next')) ?? '/'
    return redirect(next, 303, { 'set-cookie': cookie }).response
  }
}

/** The path of the page of a form. Null when it has none. */
function pathOfPage(match: Match<Form> | null): string | null {
  const page = match?.value.page?.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(match.params[name] ?? ''),
  )
  return page === undefined || page.includes('*') ? null : page
}

/** Tells a script where a form leads, instead of leading there: it may be the page that is open. */
function nameAddress(response: Response): Response {
  const address = response.headers.get('location')
  if (response.status !== 303 || address === null) return response
  const headers = new Headers(response.headers)
  headers.delete('location')
  headers.set('hearth-location', address)
  return new Response(null, { status: 204, headers })
}

const foreignForm = (): Refusal =>
  new Refusal(
    'forbidden',
    t(
      'This form was not sent from a current page of this site. Go back, reload the page and send it again.',
    ),
  )

/**
 * Whether the browser says that it sends a form from this site (Fetch Metadata) and has the cookie
 * that the CSRF token belongs to. A request of another site is refused even with a valid token.
 */
function isFromThisSite(visitor: VisitorRequest): boolean {
  const site = visitor.request.headers.get('sec-fetch-site')
  const isForeign = site !== null && site !== 'same-origin' && site !== 'none'
  return !isForeign && visitor.hasCookie
}

/**
 * The page of a refusal. An anonymous visitor is sent to the sign-in page where signing in may
 * help; the address of a renamed repository redirects to its new one, and an address as another
 * forge writes it to the page here.
 */
function renderRefusal(refusal: Refusal, visit: Visit, request_id: string | null): Response {
  const { method } = visit.request
  const address =
    refusal instanceof Moved && method !== 'POST' ? movedAddress(visit.url, refusal) : null
  if (address !== null) return redirect(address, 301).response
  const known = refusal.status === 404 && method !== 'POST' ? addressHere(visit.url) : null
  if (known !== null) return redirect(known, 302).response
  if (
    refusal.code === 'unauthenticated' &&
    refusal.reason !== 'invalid_token' &&
    visit.viewer === null &&
    method === 'GET'
  ) {
    const next = encodeURIComponent(visit.url.pathname + visit.url.search)
    return redirect(`/login?next=${next}`, 302).response
  }
  const response = htmlResponse(
    errorPage(visit, {
      status: refusal.status,
      message: sentenceOf(refusal.message),
      request_id,
    }),
    refusal.status,
  )
  if (refusal.reason === 'invalid_token')
    response.headers.set('www-authenticate', 'Bearer realm="hearth", error="invalid_token"')
  for (const [name, value] of Object.entries(refusal.headers)) response.headers.set(name, value)
  return response
}

/** Puts the Markdown that was rendered meanwhile into a page. */
async function fillMarkdown({ markdown }: VisitorRequest, response: Response): Promise<Response> {
  if (!markdown.isPending || !response.headers.get('content-type')?.startsWith('text/html'))
    return response
  const { status, headers } = response
  return new Response(await markdown.fill(await response.text()), { status, headers })
}

const htmlResponse = (page: Html, status: number): Response =>
  new Response(renderPage(page), { status, headers: PAGE_HEADERS })

const toResponse = (result: Html | DirectResponse, status: number): Response =>
  result instanceof DirectResponse ? result.response : htmlResponse(result, status)
