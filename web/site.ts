/**
 * What a page and a form are. A page is data: an address, what to load through operations, and how
 * to show it. A form is an address, the operation it calls and where to go afterwards. `call` is
 * bound to the visitor, so the website can do exactly what an operation allows, and there is no
 * second place for rights.
 */
import type { Caller, UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { IncomingBytes, Typed } from '#core/operation.ts'
import type { FlashKind } from './components/flash.tsx'
import { FLASH, setCookie } from './cookies.ts'
import type { FlashWord } from './flashes.ts'
import type { Html } from './jsx/html.ts'

/**
 * What came back from a form that was refused: the typed values, and the message with its field.
 */
export type FormState = {
  readonly values: Fields
  readonly error: { readonly field: string | null; readonly message: string } | null
}

/** Whom a trusted proxy in front has signed in, as it says. */
export type Named = {
  readonly id: string
  readonly username: string
  readonly name: string | null
  readonly email: string | null
  readonly groups: readonly string[] | null
}

/** One visit to a page, or one sending of a form. */
export type Visit = {
  readonly hearth: Hearth
  readonly request: Request
  readonly url: URL
  readonly params: Readonly<Record<string, string>>
  readonly caller: Caller
  /** The signed-in person; null for everybody else. */
  readonly viewer: UserCaller | null
  /** The token that every changing form carries. */
  readonly csrf: string
  readonly flash: { readonly kind: FlashKind; readonly text: string } | null
  /** Filled in when a form on this page was refused. */
  readonly form: FormState
  /** The headers of a page, for answers that are made by hand. */
  readonly headers: Readonly<Record<string, string>>
  /** The visitor's address as far as it is known, for sign-in records. */
  readonly address: string | null
  /** Null unless the installation takes the word of a proxy. */
  readonly named: Named | null
  /** `bytes` is a file that was sent, for operations that take one. */
  call<I, O>(operation: Typed<I, O>, input: NoInfer<I>, bytes?: IncomingBytes): Promise<O>
  /**
   * The same, with null for "does not exist or may not be seen" and for what the caller may not do.
   */
  tryCall<I, O>(operation: Typed<I, O>, input: NoInfer<I>): Promise<O | null>
}

/** Another answer than a page: a redirect, a file. */
export class Away {
  constructor(readonly response: Response) {}
}

/**
 * Sends the visitor elsewhere on this site (303 after a form, 302 from a page, 301 when the address
 * changed for good).
 */
export const redirect = (
  path: string,
  status: 301 | 302 | 303 = 303,
  headers: Record<string, string> = {},
): Away => new Away(new Response(null, { status, headers: { location: path, ...headers } }))

/** Sends the visitor on and says at the top of the next page what was done. */
export const flashTo = (visit: Visit, path: string, word: FlashWord): Away =>
  redirect(path, 303, {
    'set-cookie': setCookie(visit.hearth.settings.site_url.startsWith('https:'), FLASH, word, 60),
  })

export type Page = {
  readonly path: string
  readonly status: number
  render(visit: Visit): Promise<Html | Away>
}

/**
 * `path` has `:name` for one segment and ends in `*name` for the rest with its slashes. `load`
 * gives what `view` shows, or null for "no such page"; a Refusal thrown there becomes the error
 * page of its status.
 */
export const page = <T>(definition: {
  path: string
  load?: (visit: Visit) => Promise<T | Away | null> | T | Away | null
  view: (data: T, visit: Visit) => Html
}): Page => ({
  path: definition.path,
  status: 200,
  async render(visit) {
    const data = definition.load ? await definition.load(visit) : (undefined as T)
    if (data instanceof Away) return data
    if (data === null) throw new NoSuchPage()
    return definition.view(data, visit)
  },
})

/** There is nothing at this address. */
export class NoSuchPage extends Error {}

/** The fields of a sent form: text, several of one name, and files. */
export class Fields {
  constructor(private readonly data: Map<string, string[]> = new Map()) {}

  /** The last value of a name; empty when it was not sent. */
  text(name: string): string {
    return this.data.get(name)?.at(-1) ?? ''
  }

  /** Undefined for an empty field, so that an operation's default holds. */
  optional(name: string): string | undefined {
    const value = this.text(name).trim()
    return value === '' ? undefined : value
  }

  all(name: string): string[] {
    return this.data.get(name) ?? []
  }

  /** A field with one item a line, or separated by `separator`; empty ones are left out. */
  list(name: string, separator: string | RegExp = /\r?\n/): string[] {
    return this.all(name)
      .flatMap((value) => value.split(separator))
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }

  /** A tick box. */
  ticked(name: string): boolean {
    return ['true', 'on', '1'].includes(this.text(name))
  }

  has(name: string): boolean {
    return this.data.has(name)
  }

  names(): string[] {
    return [...this.data.keys()]
  }
}

export const noForm: FormState = { values: new Fields(), error: null }

export type Form = {
  readonly path: string
  /**
   * The page that is shown again, with status 422, when the form is refused. Null shows the error
   * page.
   */
  readonly page: Page | null
  /** Forms that make or prove an identity are open to visitors without a sign-in. */
  readonly open: boolean
  /**
   * The address holds a secret that proves the right; mail programs post there without a cookie
   * (RFC 8058).
   */
  readonly proven: boolean
  /** Whether it sends one file, which comes after all fields and is read while it comes in. */
  readonly sendsFile?: boolean
  /** For a form that sends several small files: so many bytes they may have together. */
  readonly mostBytes?: number
  submit(
    visit: Visit,
    fields: Fields,
    file: SentFile | null,
    files: readonly SmallFile[] | null,
  ): Promise<Away>
}

/** A file of a form that sends several, as a whole. */
export type SmallFile = { readonly name: string; readonly data: Uint8Array }

/** A file of a form, on its way in. */
export type SentFile = { readonly name: string; readonly bytes: IncomingBytes }

/** Where a form leads: an address of this site with a word for the flash, or a whole answer. */
export type Next = string | Away

export const form = <I, O>(definition: {
  path: string
  operation: Typed<I, O>
  page?: Page | null
  open?: boolean
  input: (fields: Fields, visit: Visit) => NoInfer<I>
  done: (output: O, visit: Visit, fields: Fields) => Next | Promise<Next>
}): Form => ({
  path: definition.path,
  page: definition.page ?? null,
  open: definition.open ?? false,
  proven: false,
  sendsFile: false,
  async submit(visit, fields) {
    const output = await visit.call(definition.operation, definition.input(fields, visit))
    const next = await definition.done(output, visit, fields)
    return next instanceof Away ? next : redirect(next)
  },
})

/** A form that calls one of several operations, by the button that was pressed, or none. */
export const action = (definition: {
  path: string
  page?: Page | null
  open?: boolean
  proven?: boolean
  submit: (visit: Visit, fields: Fields) => Promise<Next>
}): Form => ({
  path: definition.path,
  page: definition.page ?? null,
  open: definition.open ?? false,
  proven: definition.proven ?? false,
  sendsFile: false,
  async submit(visit, fields) {
    const next = await definition.submit(visit, fields)
    return next instanceof Away ? next : redirect(next)
  },
})

/** A form with a file of any size. `file` is null when none was chosen. */
export const upload = (definition: {
  path: string
  page: Page | null
  submit: (visit: Visit, fields: Fields, file: SentFile | null) => Promise<Next>
}): Form => ({
  path: definition.path,
  page: definition.page,
  open: false,
  proven: false,
  sendsFile: true,
  async submit(visit, fields, file) {
    const next = await definition.submit(visit, fields, file)
    return next instanceof Away ? next : redirect(next)
  },
})

/**
 * A form with several files that are held in memory. `files` is null when they have more than
 * `mostBytes` together.
 */
export const uploads = (definition: {
  path: string
  page: Page | null
  mostBytes: number
  submit: (visit: Visit, fields: Fields, files: readonly SmallFile[] | null) => Promise<Next>
}): Form => ({
  path: definition.path,
  page: definition.page,
  open: false,
  proven: false,
  sendsFile: false,
  mostBytes: definition.mostBytes,
  async submit(visit, fields, _, files) {
    const next = await definition.submit(visit, fields, files)
    return next instanceof Away ? next : redirect(next)
  },
})

/** An address that answers with something else than a page (a raw file, a picture). */
export type Resource = { readonly path: string; answer(visit: Visit): Promise<Response> }

export type SiteMap = {
  readonly pages: readonly Page[]
  readonly forms: readonly Form[]
  readonly resources: readonly Resource[]
  /** Asked before any page is made; an answer of its own goes out in place of the page. */
  arrive?(visit: Visit): Promise<Away | null>
}

/** Requests of applications for access hold the whole id of the application. */
const LONGEST_NEXT = 12_000

/**
 * An address to go on to after signing in: only one of this site, never another host's (`//host`,
 * `/\host`).
 */
export const safeNext = (next: string | null | undefined): string | null =>
  next && /^\/(?![/\\])[!-[\]-~]*$/.test(next) && next.length <= LONGEST_NEXT ? next : null
