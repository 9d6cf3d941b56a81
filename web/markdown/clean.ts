// Sanitizes HTML that users wrote by an allow list of elements and attributes.
import sanitizeHtml from 'sanitize-html'
import { prefixedId, resolveAddress, type DocumentBase } from './addresses.ts'
import { limitDepth } from './limit-depth.ts'
import { t } from '../text.ts'

const ALLOWED_TAGS = [
  'a',
  'abbr',
  'b',
  'blockquote',
  'br',
  'cite',
  'code',
  'dd',
  'del',
  'details',
  'dfn',
  'div',
  'dl',
  'dt',
  'em',
  'figcaption',
  'figure',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'i',
  'img',
  'input',
  'ins',
  'kbd',
  'li',
  'mark',
  'ol',
  'p',
  'picture',
  'pre',
  'q',
  'rp',
  'rt',
  'ruby',
  's',
  'samp',
  'small',
  'source',
  'span',
  'strong',
  'sub',
  'summary',
  'sup',
  'table',
  'tbody',
  'td',
  'tfoot',
  'th',
  'thead',
  'tr',
  'tt',
  'u',
  'ul',
  'var',
  'wbr',
]

/** Elements that are removed with their content, because it is not text for a reader. */
const DROPPED_WITH_CONTENT = [
  'script',
  'style',
  'textarea',
  'option',
  'select',
  'noscript',
  'iframe',
  'noembed',
  'noframes',
  'object',
  'embed',
  'applet',
  'template',
  'title',
  'svg',
  'math',
  'xmp',
  'plaintext',
  'head',
  'audio',
  'video',
  'canvas',
  'frameset',
  'button',
]

const size = /^\d{1,4}%?$/
const align = new Set(['left', 'right', 'center'])

type Attributes = Record<string, string>

/** Keeps ids, sizes and alignment only in a form that is harmless. Every element gets it. */
const keepSafeAttributes = (attributes: Attributes): Attributes => {
  const kept: Attributes = { ...attributes }
  const id = prefixedId(attributes.id ?? '')
  delete kept.id
  if (id !== null) kept.id = id
  for (const name of ['width', 'height'])
    if (name in kept && !size.test(kept[name] ?? '')) delete kept[name]
  for (const name of ['colspan', 'rowspan', 'start', 'value'])
    if (name in kept && !/^\d{1,4}$/.test(kept[name] ?? '')) delete kept[name]
  // `align` is obsolete, so a class replaces it.
  const side = (attributes.align ?? '').toLowerCase()
  delete kept.align
  if (align.has(side)) kept.class = `to-${side}`
  return kept
}

/** The attributes of one element after the rules of its name. */
class ElementCleaner {
  readonly #siteUrl: string
  readonly #base: DocumentBase | undefined

  constructor(siteUrl: string, base: DocumentBase | undefined) {
    this.#siteUrl = siteUrl
    this.#base = base
  }

  clean(tagName: string, attributes: Attributes): Attributes {
    const kept = keepSafeAttributes(attributes)
    switch (tagName) {
      case 'a':
        this.#link(kept, attributes.name ?? '')
        break
      case 'img':
        this.#resolve(kept, 'src', 'image')
        kept.alt ??= ''
        kept.loading = 'lazy'
        kept.referrerpolicy = 'no-referrer'
        break
      case 'source':
        this.#source(kept)
        break
      case 'code':
        keepLanguage(kept)
        break
      case 'input':
        return taskCheckbox(kept)
    }
    return kept
  }

  #resolve(attributes: Attributes, name: string, kind: 'link' | 'image'): void {
    const value = attributes[name]
    if (value === undefined) return
    const resolved = resolveAddress(value, kind, this.#siteUrl, this.#base)
    if (resolved === null) delete attributes[name]
    else attributes[name] = resolved
  }

  #link(kept: Attributes, name: string): void {
    const id = prefixedId(name)
    if (id !== null && kept.id === undefined) kept.id = id
    this.#resolve(kept, 'href', 'link')
    delete kept.rel
    if (kept.href !== undefined && !kept.href.startsWith('#')) kept.rel = 'nofollow ugc'
  }

  /** A source keeps its first picture only, without the comma and the density after it. */
  #source(kept: Attributes): void {
    kept.srcset =
      (kept.srcset ?? '')
        .trim()
        .split(/\s+/)[0]
        ?.replace(/(?<!,),+$/, '') ?? ''
    this.#resolve(kept, 'srcset', 'image')
    if (!/^[\w\s():,.-]{0,100}$/.test(kept.media ?? '')) delete kept.media
  }
}

/** The info string of a fence may go on after the language (options, a title). */
function keepLanguage(kept: Attributes): void {
  const word = /^language-[\w+#.-]{1,40}/.exec(kept.class ?? '')?.[0]
  delete kept.class
  if (word !== undefined) kept.class = word
}

/** A checkbox of a task list. The filter removes inputs of another type. */
function taskCheckbox(kept: Attributes): Attributes {
  const done = 'checked' in kept
  return {
    type: (kept.type ?? '').toLowerCase(),
    disabled: '',
    ...(done ? { checked: '' } : {}),
    'aria-label': done ? t('Done') : t('To do'),
  }
}

const ALLOWED_ATTRIBUTES = {
  '*': ['id', 'title', 'dir', 'lang'],
  a: ['href', 'rel'],
  img: ['src', 'alt', 'width', 'height', 'loading', 'referrerpolicy'],
  source: ['srcset', 'media'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
  ol: ['start', 'reversed'],
  li: ['value', 'class'],
  details: ['open'],
  input: ['type', 'checked', 'disabled', 'aria-label'],
  code: ['class'],
}

/**
 * Cleans HTML. Every address is resolved against `base` and checked. Every id gets the prefix of
 * documents, so that it cannot be one of the page around.
 */
export const cleanHtml = (html: string, siteUrl: string, base?: DocumentBase): string => {
  const cleaner = new ElementCleaner(siteUrl, base)
  return sanitizeHtml(limitDepth(html), {
    allowedTags: ALLOWED_TAGS,
    nonTextTags: DROPPED_WITH_CONTENT,
    disallowedTagsMode: 'discard',
    allowedAttributes: ALLOWED_ATTRIBUTES,
    allowedClasses: {
      '*': [...align].map((side) => `to-${side}`),
      code: ['language-*'],
      li: ['task-list-item'],
    },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: ['http', 'https'], source: ['http', 'https'] },
    allowProtocolRelative: false,
    allowedStyles: {},
    parseStyleAttributes: false,
    nestingLimit: 60,
    transformTags: {
      '*': (tagName, attributes) => ({ tagName, attribs: cleaner.clean(tagName, attributes) }),
    },
    exclusiveFilter: (frame) => frame.tag === 'input' && frame.attribs.type !== 'checkbox',
  })
}
