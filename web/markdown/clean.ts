// The wall between what strangers write and what browsers run: an allow list of elements and
// attributes, nothing else.
import sanitizeHtml from 'sanitize-html'
import { prefixedId, resolveAddress, type DocumentBase } from './addresses.ts'

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

/** Elements whose content goes with them, because it is no text for a reader. */
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

/** Keeps `id`, sizes and alignment only in a form that can do no harm. Used on every element. */
const keepSafeAttributes = (attributes: Attributes): Attributes => {
  const kept: Attributes = { ...attributes }
  const id = prefixedId(attributes.id ?? '')
  delete kept.id
  if (id !== null) kept.id = id
  for (const name of ['width', 'height'])
    if (name in kept && !size.test(kept[name] ?? '')) delete kept[name]
  for (const name of ['colspan', 'rowspan', 'start', 'value'])
    if (name in kept && !/^\d{1,4}$/.test(kept[name] ?? '')) delete kept[name]
  // The attribute is long out of the standard; the class does the same.
  const side = (attributes.align ?? '').toLowerCase()
  delete kept.align
  if (align.has(side)) kept.class = `to-${side}`
  return kept
}

/**
 * Cleans HTML. Every address is resolved against `base` and checked; ids get the prefix of
 * documents.
 */
export const cleanHtml = (html: string, siteUrl: string, base?: DocumentBase): string => {
  const address = (attributes: Attributes, name: string, kind: 'link' | 'image'): void => {
    const value = attributes[name]
    if (value === undefined) return
    const resolved = resolveAddress(value, kind, siteUrl, base)
    if (resolved === null) delete attributes[name]
    else attributes[name] = resolved
  }
  return sanitizeHtml(html, {
    allowedTags: ALLOWED_TAGS,
    nonTextTags: DROPPED_WITH_CONTENT,
    disallowedTagsMode: 'discard',
    allowedAttributes: {
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
    },
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
      '*': (tagName, attributes) => {
        const kept = keepSafeAttributes(attributes)
        if (tagName === 'a') {
          const named = prefixedId(attributes.name ?? '')
          if (named !== null && kept.id === undefined) kept.id = named
          address(kept, 'href', 'link')
          delete kept.rel
          if (kept.href !== undefined && !kept.href.startsWith('#')) kept.rel = 'nofollow ugc'
        } else if (tagName === 'img') {
          address(kept, 'src', 'image')
          kept.alt ??= ''
          kept.loading = 'lazy'
          kept.referrerpolicy = 'no-referrer'
        } else if (tagName === 'source') {
          // One picture a source; densities are of no use to a document.
          kept.srcset = (kept.srcset ?? '').trim().split(/\s+/)[0]?.replace(/,+$/, '') ?? ''
          address(kept, 'srcset', 'image')
          if (!/^[\w\s():,.-]{0,100}$/.test(kept.media ?? '')) delete kept.media
        } else if (tagName === 'code' && !/^language-[\w+#.-]{1,40}$/.test(kept.class ?? '')) {
          // A fence's word may carry more (options, a title): its first part names the language.
          const word = /^language-[\w+#.-]{1,40}/.exec(kept.class ?? '')?.[0]
          delete kept.class
          if (word !== undefined) kept.class = word
        } else if (tagName === 'input') {
          const done = 'checked' in kept
          const type = (kept.type ?? '').toLowerCase()
          return {
            tagName,
            attribs: {
              type,
              disabled: '',
              ...(done ? { checked: '' } : {}),
              'aria-label': done ? 'Done' : 'To do',
            },
          }
        }
        return { tagName, attribs: kept }
      },
    },
    exclusiveFilter: (frame) => frame.tag === 'input' && frame.attribs.type !== 'checkbox',
  })
}
