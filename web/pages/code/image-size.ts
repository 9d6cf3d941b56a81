/**
 * Reads width and height in pixels from the start of an image: PNG, GIF, WebP, JPEG, BMP and SVG.
 * Null when they are not found.
 */
export function imageSize(bytes: Uint8Array): { width: number; height: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const word = (from: number, to: number) =>
    Buffer.from(bytes.subarray(from, to)).toString('latin1')
  const size = (width: number, height: number) =>
    width > 0 && height > 0 && width < 1e6 && height < 1e6 ? { width, height } : null
  if (bytes.length > 24 && word(1, 4) === 'PNG') return size(view.getUint32(16), view.getUint32(20))
  if (bytes.length > 10 && word(0, 3) === 'GIF')
    return size(view.getUint16(6, true), view.getUint16(8, true))
  if (bytes.length > 26 && word(0, 2) === 'BM')
    return size(view.getInt32(18, true), Math.abs(view.getInt32(22, true)))
  if (bytes.length > 30 && word(0, 4) === 'RIFF' && word(8, 12) === 'WEBP')
    return webpSize(view, word(12, 16), size)
  if (bytes.length > 4 && view.getUint16(0) === 0xffd8) return jpegSize(view, size)
  return svgSize(word(0, 4096), size)
}

type Size = (width: number, height: number) => { width: number; height: number } | null

/** The three forms of WebP (https://developers.google.com/speed/webp/docs/riff_container). */
function webpSize(view: DataView, form: string, size: Size) {
  if (form === 'VP8 ')
    return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
  if (form === 'VP8L') {
    const bits = view.getUint32(21, true)
    return size((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
  }
  const three = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1
  return form === 'VP8X' ? size(three(24), three(27)) : null
}

/** The first frame header of a JPEG (ITU T.81, B.2.2). */
function jpegSize(view: DataView, size: Size) {
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return size(view.getUint16(at + 7), view.getUint16(at + 5))
    at += 2 + Math.max(2, view.getUint16(at + 2))
  }
  return null
}

function svgSize(text: string, size: Size) {
  const tag = /<svg[^>]*>/i.exec(text)?.[0]
  if (!tag) return null
  const number = (name: string) =>
    Number(new RegExp(`\\s${name}=["']([\\d.]+)(?:px)?["']`).exec(tag)?.[1] ?? Number.NaN)
  const box = /viewBox=["']\s*[\d.-]+[\s,]+[\d.-]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(tag)
  const [width, height] = [
    number('width') || Number(box?.[1]),
    number('height') || Number(box?.[2]),
  ]
  return size(Math.round(width), Math.round(height))
}
