// Headers of files that users chose, so that no browser runs anything in them.

/** The name of a file in a header (RFC 6266, with RFC 8187 for non-ASCII names). */
export const contentDisposition = (kind: 'inline' | 'attachment', name: string): string => {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return plain === name
    ? `${kind}; filename="${name}"`
    : `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** A digest in a header (RFC 9530). */
export const digestHeader = (sha256: string): string =>
  `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`

/**
 * The content security policy of PDF documents. One in a sandbox cannot start the viewer of a
 * browser, which runs no script of the document either. Pages of this site show documents in frames.
 */
export const DOCUMENT_POLICY =
  "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
