/** Elements whose content is no text for readers. */
const HIDDEN = ['script', 'style', 'template', 'title', 'svg']
const BREAKS = /^\/?(?:p|div|tr|li|h[1-6]|pre|table|ul|ol|blockquote|section)$|^br\/?$/

/**
 * The text of HTML from a stranger, for a place that shows text. It is no sanitizer: the result is
 * escaped when it is shown. Reads each character once.
 */
export function htmlToText(html: string): string {
  const lower = html.toLowerCase()
  let text = ''
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    text += html.slice(at, open < 0 ? html.length : open)
    if (open < 0) break
    const close = html.indexOf('>', open)
    if (close < 0) break
    const name = lower.slice(open + 1, Math.min(close, open + 20)).split(/[\s>]/, 1)[0] ?? ''
    const end = HIDDEN.includes(name) ? lower.indexOf(`</${name}`, close) : -1
    if (HIDDEN.includes(name) && end < 0) break
    if (BREAKS.test(name)) text += '\n'
    if (name === 'td' || name === 'th') text += '\t'
    at = end < 0 ? close + 1 : end
  }
  return text
    .replace(/&(?:lt|gt|quot|#39|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
}
