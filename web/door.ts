/**
 * The website's door: finds the page or form of an address, makes the visit, and turns refusals
 * into pages. It knows no feature; the site map does.
 */
import { nowhere, type Origin } from '#core/audit.ts'
import { anonymous, type Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type IncomingBytes, type Typed } from '#core/operation.ts'
import { Moved, Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { readMultipart } from '#lib/multipart.ts'
import { assets, contentSecurityPolicy } from './assets.ts'
import { Crawlers, isCostly, WORK_PATH } from './crawlers.ts'
import { CSRF_FIELD } from './components/form.tsx'
import {
  clearCookie,
  csrfToken,
  FLASH,
  isCsrfToken,
  newVisitor,
  readCookie,
  setCookie,
  SIGN_IN,
  VISITOR,
} from './cookies.ts'
import { flashOf } from './flashes.ts'
import { Html, renderPage } from './jsx/html.ts'
import { movedAddress } from './moved.ts'
import { assetResponse, packedPage } from './packed.ts'
import { errorPage } from './pages/error.tsx'
import { workPage } from './pages/work.tsx'
import { Router } from './router.ts'
import {
  Away,
  Fields,
  noForm,
  NoSuchPage,
  redirect,
  safeNext,
  type Form,
  type FormState,
  type Named,
  type Page,
  type Resource,
  type SentFile,
  type SiteMap,
  type SmallFile,
  type Visit,
} from './site.ts'

/** The website as the listener mounts it. */
export type SiteDoor = {
  handle(
    request: Request,
    server: Pick<Bun.Server<undefined>, 'requestIP'>,
    origin: () => Origin,
  ): Promise<Response>
  /** The page of an error that nothing here expected; the log has it under the id. */
  refuse(exchange: { readonly request: Request; readonly id: string }, refusal: Refusal): Response
}

/** A page that reads history for longer is given up; somebody who waits has long gone. */
const LONGEST_PAGE = 30 * SECOND

/** Forms carry text that people type; a file that one sends is not counted. */
const LARGEST_FORM = 4 * 1024 * 1024

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `${contentSecurityPolicy}; form-action 'self'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'interest-cohort=(), camera=(), microphone=(), geolocation=()',
  'cache-control': 'private, no-cache',
}

/** Who sends a request, by token or by sign-in. Throws 401 for a bad token. */
type VisitorOf = (hearth: Hearth, request: Request) => Caller

/**
 * Whom the sender of a request names, when its word counts. `peer` is the address of the connection
 * itself.
 */
type NamedBy = (hearth: Hearth, request: Request, peer: string | null) => Named | null

export function siteDoor(
  hearth: Hearth,
  map: SiteMap,
  visitorOf: VisitorOf,
  namedBy: NamedBy = () => null,
): SiteDoor {
  const pages = new Router<Page>(map.pages.map((page) => [page.path, page]))
  const forms = new Router<Form>(map.forms.map((form) => [form.path, form]))
  const resources = new Router<Resource>(map.resources.map((resource) => [resource.path, resource]))
  const secure = hearth.settings.site_url.startsWith('https:')
  const crawlers = new Crawlers(hearth)

  /** What is proved needs no other proof, and lets nobody do anything. */
  async function takeWork(visit: Visit): Promise<Response> {
    const fields = await fieldsOf(visit.request)
    const cookie = crawlers.proofOf(fields.text('challenge'), fields.text('answer'), visit.address)
    if (cookie === null)
      throw new Refusal(
        'forbidden',
        'This is not the answer to a question of this site, or it came too late. Go back and reload the page.',
      )
    return redirect(safeNext(fields.text('next')) ?? '/', 303, { 'set-cookie': cookie }).response
  }

  /** Who visits, and the cookies that the answer sets. */
  function look(request: Request, origin: Origin, named: Named | null = null) {
    const url = new URL(request.url)
    const until = performance.now() + LONGEST_PAGE
    const secret = readCookie(request, secure, SIGN_IN)
    let caller: Caller = anonymous
    let refused: Refusal | null = null
    try {
      caller = visitorOf(hearth, request)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused = error
    }
    // Forms belong to a cookie; who comes with a token alone reads.
    const known = caller.kind === 'anonymous' ? readCookie(request, secure, VISITOR) : secret
    const visitor = known ?? newVisitor()
    const cookies: string[] = []
    if (known === null) cookies.push(setCookie(secure, VISITOR, visitor, 86_400))
    if (secret !== null && caller.kind === 'anonymous' && refused === null)
      cookies.push(clearCookie(secure, SIGN_IN))
    const word = readCookie(request, secure, FLASH)
    if (word !== null && request.method === 'GET') cookies.push(clearCookie(secure, FLASH))

    const visit = (params: Record<string, string> = {}, form: FormState = noForm): Visit => ({
      hearth,
      request,
      url,
      params,
      caller,
      form,
      address: origin.ip,
      named,
      headers: HEADERS,
      viewer: caller.kind === 'user' ? caller : null,
      csrf: csrfToken(visitor),
      flash: flashOf(word),
      call: <I, O>(operation: Typed<I, O>, input: I, bytes?: IncomingBytes) =>
        call(hearth, operation, caller, input, {
          signal: request.signal,
          origin,
          ...(bytes ? { bytes } : { until }),
        }),
      tryCall: async <I, O>(operation: Typed<I, O>, input: I) => {
        try {
          return await call(hearth, operation, caller, input, {
            signal: request.signal,
            origin,
            until,
          })
        } catch (error) {
          // The page itself has another address now.
          if (error instanceof Moved && movedAddress(url, error) !== null) throw error
          if (
            error instanceof Refusal &&
            (error.status === 401 || error.status === 403 || error.status === 404)
          )
            return null
          throw error
        }
      },
    })
    return {
      url,
      path: url.pathname.length > 1 ? url.pathname.replace(/\/+$/, '') || '/' : '/',
      visit,
      visitor,
      refused,
      hasCookie: known !== null,
      cookies,
    }
  }
  type Looked = ReturnType<typeof look>

  async function answer(
    request: Request,
    { path, visit, visitor, refused, hasCookie }: Looked,
  ): Promise<Response> {
    if (refused !== null) throw refused
    if (request.method === 'POST' && path === WORK_PATH) return takeWork(visit())
    if (request.method === 'POST') return submit(forms.find(path), visit, visitor, hasCookie)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new Refusal('method_not_allowed', 'This address takes no such request.', {
        headers: { allow: 'GET, HEAD, POST' },
      })
    const reader = visit()
    const challenge =
      reader.caller.kind === 'anonymous'
        ? crawlers.challengeFor(request, path, reader.address)
        : null
    if (challenge !== null) {
      const asked = html(workPage(reader, challenge), 429)
      asked.headers.set('retry-after', '1')
      return asked
    }
    const resource = resources.find(path)
    if (resource) return resource.value.answer(visit(resource.params))
    const found = pages.find(path)
    if (!found) {
      // A refused form is shown at its own address; asking for that again leads to the page that
      // has the form.
      const sent = forms.find(path)
      const home = sent?.value.page?.path.replace(/:(\w+)/g, (_, name: string) =>
        encodeURIComponent(sent.params[name] ?? ''),
      )
      if (home === undefined || home === path || home.includes('*')) throw new NoSuchPage()
      return redirect(home, 302).response
    }
    const visited = visit(found.params)
    return respond(
      (await map.arrive?.(visited)) ?? (await found.value.render(visited)),
      found.value.status,
    )
  }

  /**
   * The page that tells of a refusal, or the sign-in page where signing in may be all that is
   * missing.
   */
  function tell(refusal: Refusal, visit: Visit, request_id: string | null): Response {
    const moved =
      refusal instanceof Moved && visit.request.method !== 'POST'
        ? movedAddress(visit.url, refusal)
        : null
    if (moved !== null) return redirect(moved, 301).response
    if (
      refusal.code === 'unauthenticated' &&
      refusal.reason !== 'invalid_token' &&
      visit.viewer === null &&
      visit.request.method === 'GET'
    ) {
      return redirect(
        `/login?next=${encodeURIComponent(visit.url.pathname + visit.url.search)}`,
        302,
      ).response
    }
    const response = html(
      errorPage(visit, { status: refusal.status, message: refusal.message, request_id }),
      refusal.status,
    )
    if (refusal.reason === 'invalid_token')
      response.headers.set('www-authenticate', 'Bearer realm="hearth", error="invalid_token"')
    for (const [name, value] of Object.entries(refusal.headers)) response.headers.set(name, value)
    return response
  }

  return {
    async handle(request, server, origin) {
      const asset = assets.get(new URL(request.url).pathname)
      if (asset) return assetResponse(request, asset)
      const looked = look(
        request,
        origin(),
        namedBy(hearth, request, server.requestIP(request)?.address ?? null),
      )
      let response: Response
      try {
        response = await answer(request, looked)
      } catch (error) {
        const refusal =
          error instanceof NoSuchPage
            ? new Refusal('not_found', 'There is no such page, or you may not see it.')
            : error
        if (!(refusal instanceof Refusal)) throw error
        response = tell(refusal, looked.visit(), null)
      }
      if (isCostly(looked.path)) response.headers.set('x-robots-tag', 'noindex, nofollow')
      for (const cookie of looked.cookies) response.headers.append('set-cookie', cookie)
      return request.method === 'HEAD'
        ? new Response(null, response)
        : packedPage(request, response)
    },
    refuse: ({ request, id }, refusal) => tell(refusal, look(request, nowhere).visit(), id),
  }

  async function submit(
    found: ReturnType<typeof forms.find>,
    visit: Looked['visit'],
    visitor: string,
    hasCookie: boolean,
  ): Promise<Response> {
    if (!found) throw new NoSuchPage()
    const { value: form, params } = found
    const before = visit(params)
    const sent = form.sendsFile
      ? await partsOf(before.request)
      : form.mostBytes
        ? await filesOf(before.request, form.mostBytes)
        : { fields: await fieldsOf(before.request) }
    const { fields, file = null, files = null, rest = null } = sent as Sent
    // Browsers say where a request comes from; another site's is refused even if it knew the token.
    const site = before.request.headers.get('sec-fetch-site')
    const foreign = site !== null && site !== 'same-origin' && site !== 'none'
    if (!form.proven && (foreign || !hasCookie || !isCsrfToken(visitor, fields.text(CSRF_FIELD)))) {
      throw new Refusal(
        'forbidden',
        'This form was not sent from a current page of this site. Go back, reload the page and send it again.',
      )
    }
    if (!form.open && before.viewer === null) throw new Refusal('unauthenticated', 'Sign in first.')
    try {
      return (await form.submit(before, fields, file, files)).response
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // A browser listens only once it has sent all that it had to send.
      await rest?.()
      if (form.page === null || error.status === 404) throw error
      const again = visit(params, {
        values: fields,
        error: { field: error.field, message: error.message },
      })
      return respond(await form.page.render(again), 422)
    }
  }
}

const html = (page: Html, status: number): Response =>
  new Response(renderPage(page), { status, headers: HEADERS })

const respond = (result: Html | Away, status: number): Response =>
  result instanceof Away ? result.response : html(result, status)

async function fieldsOf(request: Request): Promise<Fields> {
  const type = request.headers.get('content-type') ?? ''
  const length = Number(request.headers.get('content-length') ?? '0')
  if (length > LARGEST_FORM) throw new Refusal('too_large', 'This form is too large.')
  const body = new Uint8Array(await request.arrayBuffer())
  if (body.byteLength > LARGEST_FORM) throw new Refusal('too_large', 'This form is too large.')
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type))
    throw new Refusal('unsupported_media_type', 'This address takes forms only.')
  const data = await new Response(body, { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new Refusal('bad_request', 'This form could not be read.')
    })
  const values = new Map<string, string[]>()
  for (const [name, value] of data.entries()) {
    // Browsers send lines of a text field as CR LF.
    if (typeof value === 'string')
      values.set(name, [...(values.get(name) ?? []), value.replaceAll('\r\n', '\n')])
  }
  return new Fields(values)
}

/** What came with a form. */
type Sent = {
  fields: Fields
  file?: SentFile | null
  files?: readonly SmallFile[] | null
  rest?: (() => Promise<void>) | null
}

/** After a refusal, so much of a file that is still coming is read for the sake of the answer. */
const MOST_UNWANTED = 64 * 1024 * 1024

/**
 * The fields of a form that sends a file, and the file that comes after them; `rest` lets go of
 * what was not read.
 */
async function partsOf(
  request: Request,
): Promise<{ fields: Fields; file: SentFile | null; rest: () => Promise<void> }> {
  if (request.body === null) throw new Refusal('bad_request', 'This form is empty.')
  const parts = readMultipart(request.body, request.headers.get('content-type') ?? '')
  const values = new Map<string, string[]>()
  const none = async () => {}
  let size = 0
  for (;;) {
    const { done, value: part } = await parts.next()
    if (done) return { fields: new Fields(values), file: null, rest: none }
    if (part.filename !== null) {
      const rest = async (): Promise<void> => {
        let seen = 0
        try {
          for await (const piece of part.stream) if ((seen += piece.length) > MOST_UNWANTED) return
        } catch {
          // Nobody is there any more.
        }
      }
      // Browsers send a nameless file when none was chosen.
      return part.filename === ''
        ? { fields: new Fields(values), file: null, rest }
        : {
            fields: new Fields(values),
            file: {
              name: part.filename,
              bytes: { stream: part.stream, type: part.type, length: null },
            },
            rest,
          }
    }
    const pieces: Uint8Array[] = []
    for await (const piece of part.stream) {
      size += piece.length
      if (size > LARGEST_FORM) throw new Refusal('too_large', 'This form is too large.')
      pieces.push(piece)
    }
    values.set(part.name, [
      ...(values.get(part.name) ?? []),
      Buffer.concat(pieces).toString('utf8').replaceAll('\r\n', '\n'),
    ])
  }
}

const textOf = async (stream: AsyncIterable<Uint8Array>, left: number): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  for await (const piece of stream) {
    if ((left -= piece.length) < 0) throw new Refusal('too_large', 'This form is too large.')
    pieces.push(Uint8Array.from(piece))
  }
  return Buffer.concat(pieces)
}

/**
 * The fields and files of a form that sends several; no files when they have more than `most`
 * bytes, so that the form can say so.
 */
async function filesOf(request: Request, most: number): Promise<Sent> {
  if (request.body === null) throw new Refusal('bad_request', 'This form is empty.')
  const values = new Map<string, string[]>()
  const files: SmallFile[] = []
  let size = 0
  let typed = 0
  for await (const { name, filename, stream } of readMultipart(
    request.body,
    request.headers.get('content-type') ?? '',
  )) {
    if (filename === null) {
      const data = await textOf(stream, LARGEST_FORM - typed)
      typed += data.length
      values.set(name, [
        ...(values.get(name) ?? []),
        data.toString('utf8').replaceAll('\r\n', '\n'),
      ])
      continue
    }
    const pieces: Uint8Array[] = []
    for await (const piece of stream) {
      size += piece.length
      if (size > most + MOST_UNWANTED) throw new Refusal('too_large', 'This form is too large.')
      if (size <= most) pieces.push(Uint8Array.from(piece))
    }
    if (filename !== '') files.push({ name: filename, data: Buffer.concat(pieces) })
  }
  return { fields: new Fields(values), files: size > most ? null : files }
}
