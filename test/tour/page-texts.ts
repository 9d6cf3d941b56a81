/** The texts that a page shows, found in its HTML. */
import { readFileSync } from 'node:fs'
import { unescapeHtml } from '../../web/markdown/entities.ts'

/** Elements whose text is code, data or no text. */
const NO_TEXTS = new Set([
  'bdi',
  'code',
  'kbd',
  'pre',
  'samp',
  'script',
  'style',
  'template',
  'textarea',
  'time',
])
/** Attributes that people read or hear. */
const READ_ATTRIBUTES = [
  'alt',
  'aria-label',
  'aria-description',
  'title',
  'placeholder',
  'data-said',
  'data-confirm',
]
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|path|circle|rect)$/

export type PageText = { readonly where: string; readonly text: string }

/** What the story of the tour says: names, titles, documents. */
const SAID_BY_USERS = [
  './story.ts',
  './more-pages.ts',
  './every-package.ts',
  '../../scripts/demo.ts',
]
  .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
  .join('\n')

const hasWords = (text: string): boolean => /\p{L}{2}/u.test(text.replaceAll('Hearth', ''))

const isHiddenElement = (element: HTMLRewriterTypes.Element): boolean =>
  NO_TEXTS.has(element.tagName) ||
  element.getAttribute('dir') === 'auto' ||
  element.getAttribute('dir') === 'ltr' ||
  element.getAttribute('translate') === 'no' ||
  (element.tagName !== 'html' && element.hasAttribute('lang')) ||
  /(?:^| )md(?: |$)/.test(element.getAttribute('class') ?? '')

/**
 * What a page in the language `en-XA` shows outside of brackets, but for code, for what the story
 * says, and for what has a language or direction of its own.
 */
export async function untranslatedOf(html: string): Promise<PageText[]> {
  const found: PageText[] = []
  const path: string[] = []
  const brackets = new Brackets()
  let hidden = 0
  let text = ''
  const add = (where: string, all: string): void => {
    const words = decode(all)
    if (hasWords(words) && !SAID_BY_USERS.includes(words)) found.push({ where, text: words })
  }
  const flush = (): void => {
    const outside = brackets.outsideOf(text)
    if (hidden === 0) add(path.slice(-3).join(' > '), outside)
    text = ''
  }
  const rewriter = new HTMLRewriter().on('*', {
    element(element) {
      flush()
      const isHidden = isHiddenElement(element)
      if (hidden === 0 && !isHidden)
        for (const name of READ_ATTRIBUTES)
          add(
            `${element.tagName}[${name}]`,
            new Brackets().outsideOf(element.getAttribute(name) ?? ''),
          )
      if (VOID.test(element.tagName) || element.selfClosing || !element.canHaveContent) return
      path.push([element.tagName, element.getAttribute('class')?.split(' ')[0]].join('.'))
      if (isHidden) hidden++
      element.onEndTag(() => {
        flush()
        path.pop()
        if (isHidden) hidden--
      })
    },
    text(chunk) {
      text += chunk.text
    },
  })
  await rewriter.transform(new Response(html)).text()
  return found
}

/** The brackets of the language `en-XA`, which may stand around elements. */
class Brackets {
  #depth = 0

  outsideOf(text: string): string {
    let outside = ''
    for (const letter of text) {
      if (letter === '⟦') this.#depth++
      else if (letter === '⟧') this.#depth--
      else if (this.#depth === 0) outside += letter
    }
    return outside
  }
}

const decode = (text: string): string => unescapeHtml(text).trim()
