/** References to tickets: keys, `owner/repository#12`, and addresses. */
import { addressBelow } from '#features/integrations/index.ts'

export type Reference =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'issue'; readonly repo: string | null; readonly number: number }
  | { readonly kind: 'address'; readonly url: URL }

const KEY = /^[A-Za-z][A-Za-z0-9_]{0,30}-[1-9]\d{0,9}$/
const ISSUE = /^(?:([\w.-]{1,100}(?:\/[\w.-]{1,100}){1,10}))?#([1-9]\d{0,9})$/

/** Reads a reference; null for a text that is none. */
export function parseReference(text: string): Reference | null {
  const given = text.trim()
  if (KEY.test(given)) return { kind: 'key', key: given.toUpperCase() }
  const [, repo, number] = ISSUE.exec(given) ?? []
  if (number !== undefined)
    // A segment of dots would lead to another address of the tracker.
    return repo?.split('/').some((part) => /^\.+$/.test(part))
      ? null
      : { kind: 'issue', repo: repo ?? null, number: Number(number) }
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) return null
  return { kind: 'address', url: new URL(given) }
}

/** The path of an address below a base address, without a slash at its beginning; else null. */
export function pathBelow(url: URL, base: string): string | null {
  const root = addressBelow(base, '/')
  if (url.origin !== root.origin || !url.pathname.startsWith(root.pathname)) return null
  return url.pathname.slice(root.pathname.length)
}
