/** Slugs: names that appear in addresses. */

/** Lowercase letters, digits and single hyphens, neither first nor last, at most 39 characters. */
export const SLUG_PATTERN = '^[a-z0-9]+(?:-[a-z0-9]+)*$'
const SLUG = new RegExp(SLUG_PATTERN)

export const isSlug = (text: string): boolean =>
  text.length >= 1 && text.length <= 39 && SLUG.test(text)

/** A slug from any text: other characters become one hyphen. Empty when nothing is left. */
export const slugify = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 39)
    .replace(/-$/, '')
