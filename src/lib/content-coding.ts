/** Content codings of HTTP responses (RFC 9110, section 12.5.3). */

export type ContentCoding = 'br' | 'zstd' | 'gzip'

/**
 * The offered coding that a request prefers; the first of equals. Null when it accepts none, or
 * prefers the body as it is.
 */
export function chooseCoding(
  acceptEncoding: string | null,
  offered: readonly ContentCoding[],
): ContentCoding | null {
  if (acceptEncoding === null) return null
  const weights = new Map<string, number>()
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  let chosen: ContentCoding | null = null
  let best = weights.get('identity') ?? 0
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0
    if (weight > best || (weight === best && weight > 0 && chosen === null)) {
      chosen = coding
      best = weight
    }
  }
  return chosen
}
