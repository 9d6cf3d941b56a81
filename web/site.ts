/**
 * The types of the website. A page is data: an address, a function that loads its data through
 * operations, and a view. A form is an address, the operation that it calls, and the address to go
 * on to. `visit.call` runs an operation as the visitor, so operations alone decide about rights.
 */
import type { Caller, UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { IncomingBytes, Typed } from '#core/operation.ts'
import { viewScope } from '#core/read-scope.ts'
import type { Appearance } from './appearance.ts'
import type { FlashKind } from './components/flash.tsx'
import { FLASH_COOKIE, setCookie } from './cookies.ts'
import type { FlashKey } from './flashes.ts'
import { invalid, type Refusal } from '#lib/errors.ts'
import { renderPage, type Html } from './jsx/html.ts'
import type { PageMarkdown } from './markdown/page-markdown.ts'

/** The state of a refused form: the typed values, and the message with the field it is about. */
export type FormState = {
  readonly values: Fields
  readonly error:
    | (Pick<Refusal, 'field' | 'message'> & Partial<Pick<Refusal, 'reason' | 'details'>>)
    | null
}

/** A user whom a trusted proxy has signed in, as its headers describe them. */
export type ProxyUser = {
  readonly id: string
  readonly username: string
  readonly name: string | null
  readonly email: string | null
  readonly groups: readonly string[] | null
}

/** What an operation answers. */
export type OutputOf<Of> = Of extends Typed<infer _Input, infer Output> ? Output : never

/** One request for a page, form or resource, with what its handler needs. */
export type Visit = {
  readonly hearth: Hearth
  readonly request: Request
  readonly url: URL
  readonly params: Readonly<Record<string, string>>
  readonly caller: Caller
  /** The signed-in user. Null for anonymous visitors and for tokens of agents. */
  readonly viewer: UserCaller | null
  /** The token that every changing form carries. */
  readonly csrf: string
  readonly flash: { readonly kind: FlashKind; readonly text: string } | null
  /** The theme and colours that this browser has chosen. */
  readonly appearance: Appearance
  /** Filled when a form of this page was refused. */
  readonly form: FormState
  /**
   * The same visit for a response that goes on, such as a live page. Each call finds the caller
   * anew, throws 401 when it is another one by then, and has a time limit of its own.
   */
  forStream(): Visit
  /** Renders the Markdown of the page. */
  readonly markdown: PageMarkdown
  /** The headers of every page, for responses that a handler creates itself. */
  readonly headers: Readonly<Record<string, string>>
  /** The network address of the visitor, when it is known. */
  readonly ip: string | null
  /** Null unless the installation trusts the headers of a proxy. */
  readonly proxyUser: ProxyUser | null
  /** Why the proxy's user could not be signed in. The sign-in page shows it. */
  readonly proxyRefusal: Refusal | null
  /** Runs an operation as the visitor. `bytes` is an uploaded file, for operations that take one. */
  call<I, O>(operation: Typed<I, O>, input: NoInfer<I>, bytes?: IncomingBytes): Promise<O>
  /** The same, but returns null where `call` throws 401, 403 or 404. */
  tryCall<I, O>(operation: Typed<I, O>, input: NoInfer<I>): Promise<O | null>
}

/** A response that is not a rendered page: a redirect, a file, a page with its own headers. */
export class DirectResponse {
  constructor(readonly response: Response) {}
}

/**
 * Redirects to an address of this site: 303 after a form, 302 from a page, 301 when the address has
 * changed for good.
 */
export const redirect = (
  path: string,
  status: 301 | 302 | 303 = 303,
  headers: Record<string, string> = {},
): DirectResponse =>
  new DirectResponse(new Response(null, { status, headers: { location: path, ...headers } }))

/**
 * Redirects from a page to a file of this site. The location is a whole address: clients that fetch
 * files, such as `@actions/tool-cache`, take no reference without an origin (RFC 9110 section 10.2.2
 * allows both).
 */
export function redirectToFile({ url, hearth }: Visit, path: string): Response {
  // A proxy that ends TLS passes requests on as http. Only the configuration knows the scheme then.
  const site = new URL(hearth.settings.site_url)
  const { href } = new URL(path, url.host === site.host ? site : url)
  return new Response(null, {
    status: 302,
    headers: { location: href, 'cache-control': 'no-store' },
  })
}

/**
 * Responds to a form with a page in place of a redirect, for secrets that are shown once and not
 * stored.
 */
export const pageResponse = (
  visit: Visit,
  page: Html,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): DirectResponse =>
  new DirectResponse(
    new Response(renderPage(page), { status, headers: { ...visit.headers, ...headers } }),
  )

/** Redirects, and shows a message at the top of the next page. */
export const redirectWithFlash = (visit: Visit, path: string, key: FlashKey): DirectResponse =>
  redirect(path, 303, {
    'set-cookie': setCookie(
      visit.hearth.settings.site_url.startsWith('https:'),
      FLASH_COOKIE,
      key,
      60,
    ),
  })

export type Page = {
  readonly path: string
  readonly status: number
  render(visit: Visit): Promise<Html | DirectResponse>
}

/**
 * Defines a page. In `path`, `:name` stands for one segment and a final `*name` for all the rest.
 * `load` returns the data of `view`, or null for 404. A Refusal that it throws becomes an error
 * page.
 */
export const page = <T>(definition: {
  path: string
  load?: (visit: Visit) => Promise<T | DirectResponse | null> | T | DirectResponse | null
  view: (data: T, visit: Visit) => Html
}): Page => ({
  path: definition.path,
  status: 200,
  async render(visit) {
    const data = definition.load ? await definition.load(visit) : (undefined as T)
    if (data instanceof DirectResponse) return data
    if (data === null) throw new NoSuchPage()
    // Frame, header and tabs read the rights of the same repository.
    return viewScope(visit.hearth, () => definition.view(data, visit))
  },
})

/** Becomes a 404 page. */
export class NoSuchPage extends Error {}

/** The text fields of a sent form. A name may have several values. */
export class Fields {
  constructor(private readonly data: Map<string, string[]> = new Map()) {}

  /** The last value of a field. Empty when it was not sent. */
  text(name: string): string {
    return this.data.get(name)?.at(-1) ?? ''
  }

  /** Undefined for an empty field, so that the operation applies its default. */
  optional(name: string): string | undefined {
    const value = this.text(name).trim()
    return value === '' ? undefined : value
  }

  /** Undefined for an empty field. Throws 422 for a text that is no number. */
  number(name: string): number | undefined {
    const text = this.optional(name)
    const value = text === undefined ? undefined : Number(text.replace(',', '.'))
    if (Number.isNaN(value)) throw invalid(name, 'enter a number, such as 2.50')
    return value
  }

  all(name: string): string[] {
    return this.data.get(name) ?? []
  }

  /** The items of a field, one a line or divided by `separator`, without empty ones. */
  list(name: string, separator: string | RegExp = /\r?\n/): string[] {
    return this.all(name)
      .flatMap((value) => value.split(separator))
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }

  /** Whether a checkbox is ticked. */
  ticked(name: string): boolean {
    return ['true', 'on', '1'].includes(this.text(name))
  }

  has(name: string): boolean {
    return this.data.has(name)
  }

  /** The same fields with another one. */
  with(name: string, value: string): Fields {
    return new Fields(new Map([...this.data, [name, [value]]]))
  }

  names(): string[] {
    return [...this.data.keys()]
  }
}

export const emptyFormState: FormState = { values: new Fields(), error: null }

export type Form = {
  readonly path: string
  /** The page that is shown again with status 422 when the form is refused. Null: an error page. */
  readonly page: Page | null
  /** Whether anonymous visitors may send it, as they must for sign-in and registration. */
  readonly allowsAnonymous: boolean
  /** Whether a secret in its address replaces cookie and CSRF token, as in RFC 8058. */
  readonly isAuthorizedByAddress: boolean
  /** Whether it sends one file, as its last field. The file is streamed to the operation. */
  readonly sendsFile?: boolean
  /** The most bytes that the files of a form with several files have together. */
  readonly maxUploadBytes?: number
  /** A field whose files are stored as they arrive. The field then has what `store` answers. */
  readonly keptFiles?: {
    readonly field: string
    readonly store: (visit: Visit, file: UploadStream, fields: Fields) => Promise<string>
  }
  submit(
    visit: Visit,
    fields: Fields,
    file: UploadStream | null,
    files: readonly UploadedFile[] | null,
  ): Promise<DirectResponse>
}

/** A file of a form with several files, in memory. */
export type UploadedFile = { readonly name: string; readonly data: Uint8Array }

/** A file of a form that is still being received. */
export type UploadStream = { readonly name: string; readonly bytes: IncomingBytes }

/** What a form leads to: an address of this site, or a response. */
export type FormResult = string | DirectResponse

/** Defines a form that calls one operation. */
export const form = <I, O>(definition: {
  path: string
  operation: Typed<I, O>
  page?: Page | null
  allowsAnonymous?: boolean
  input: (fields: Fields, visit: Visit) => NoInfer<I>
  done: (output: O, visit: Visit, fields: Fields) => FormResult | Promise<FormResult>
}): Form => ({
  path: definition.path,
  page: definition.page ?? null,
  allowsAnonymous: definition.allowsAnonymous ?? false,
  isAuthorizedByAddress: false,
  sendsFile: false,
  async submit(visit, fields) {
    const output = await visit.call(definition.operation, definition.input(fields, visit))
    const next = await definition.done(output, visit, fields)
    return next instanceof DirectResponse ? next : redirect(next)
  },
})

/** Defines a form with a handler of its own, for several operations or none. */
export const action = (definition: {
  path: string
  page?: Page | null
  allowsAnonymous?: boolean
  isAuthorizedByAddress?: boolean
  keptFiles?: Form['keptFiles']
  submit: (visit: Visit, fields: Fields) => Promise<FormResult>
}): Form => ({
  path: definition.path,
  page: definition.page ?? null,
  allowsAnonymous: definition.allowsAnonymous ?? false,
  isAuthorizedByAddress: definition.isAuthorizedByAddress ?? false,
  sendsFile: false,
  ...(definition.keptFiles ? { keptFiles: definition.keptFiles } : {}),
  async submit(visit, fields) {
    const next = await definition.submit(visit, fields)
    return next instanceof DirectResponse ? next : redirect(next)
  },
})

/** Defines a form with one file of any size. `file` is null when none was chosen. */
export const upload = (definition: {
  path: string
  page: Page | null
  submit: (visit: Visit, fields: Fields, file: UploadStream | null) => Promise<FormResult>
}): Form => ({
  path: definition.path,
  page: definition.page,
  allowsAnonymous: false,
  isAuthorizedByAddress: false,
  sendsFile: true,
  async submit(visit, fields, file) {
    const next = await definition.submit(visit, fields, file)
    return next instanceof DirectResponse ? next : redirect(next)
  },
})

/** Defines a form with several files. `files` is null when they exceed `maxUploadBytes`. */
export const uploads = (definition: {
  path: string
  page: Page | null
  maxUploadBytes: number
  submit: (
    visit: Visit,
    fields: Fields,
    files: readonly UploadedFile[] | null,
  ) => Promise<FormResult>
}): Form => ({
  path: definition.path,
  page: definition.page,
  allowsAnonymous: false,
  isAuthorizedByAddress: false,
  sendsFile: false,
  maxUploadBytes: definition.maxUploadBytes,
  async submit(visit, fields, _, files) {
    const next = await definition.submit(visit, fields, files)
    return next instanceof DirectResponse ? next : redirect(next)
  },
})

/** An address that responds with something other than a page: a raw file, a picture. */
export type Resource = { readonly path: string; respond(visit: Visit): Promise<Response> }

/** The routes of one folder of `pages/`. */
export type SiteSection = {
  readonly pages?: readonly Page[]
  readonly forms?: readonly Form[]
  readonly resources?: readonly Resource[]
}

export type SiteMap = {
  readonly pages: readonly Page[]
  readonly forms: readonly Form[]
  readonly resources: readonly Resource[]
  /** Runs before every page. Returns a response in its place, changes to the visit, or null. */
  beforePage?(visit: Visit): Promise<DirectResponse | Partial<Visit> | null>
  /** Uploads a file that a form sends for one of its texts. Returns the Markdown that shows it. */
  attach?(visit: Visit, file: UploadStream): Promise<string>
}

/** Longer than common addresses: an OAuth request holds the URL that identifies the client. */
const MAX_NEXT_LENGTH = 12_000

/** A path of this site to redirect to, or null. Refuses other hosts (`//host`, `/\host`). */
export const safeRedirectPath = (next: string | null | undefined): string | null =>
  next && /^\/(?![/\\])[!-[\]-~]*$/.test(next) && next.length <= MAX_NEXT_LENGTH ? next : null
