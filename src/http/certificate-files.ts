/** A certificate and its key in files of one's own, read again when they change. */
import { watch } from 'node:fs'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Log } from '#lib/log.ts'
import { MINUTE } from '#lib/time.ts'

/** In PEM; the certificates of those who vouch for it follow it. */
export type Certificate = { readonly cert: string; readonly key: string }

/**
 * Reads both. Gives an Error that names the file when one is missing, is no certificate or key, or
 * they do not belong together.
 */
export async function readCertificate(files: {
  certificate: string
  key: string
}): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    readFile(files.certificate, 'utf8'),
    readFile(files.key, 'utf8'),
  ])
  const tried = <T>(path: string, what: string, make: () => T): T => {
    try {
      return make()
    } catch {
      throw new Error(`${path} holds no ${what} in PEM`)
    }
  }
  const first = tried(files.certificate, 'certificate', () => new X509Certificate(cert))
  const secret = tried(files.key, 'private key without a password', () => createPrivateKey(key))
  if (!first.checkPrivateKey(secret))
    throw new Error(
      `the key in ${files.key} is not the one of the certificate in ${files.certificate}`,
    )
  return { cert, key }
}

/**
 * Files are written one after the other, and renamed into place by those who renew them: what
 * counts is that it has come to rest.
 */
const REST_MS = 500

/**
 * Calls `changed` with the pair whenever it is another one and whole. Gives the function that ends
 * it.
 */
export function watchCertificate(
  files: { certificate: string; key: string },
  before: Certificate,
  changed: (now: Certificate) => void,
  log: Log,
): () => void {
  let known = before
  let timer: ReturnType<typeof setTimeout> | null = null
  let trouble: string | null = null
  const look = async (): Promise<void> => {
    try {
      const now = await readCertificate(files)
      trouble = null
      if (now.cert === known.cert && now.key === known.key) return
      known = now
      changed(now)
      log.info('the certificate was read again', {
        certificate: files.certificate,
        until: new X509Certificate(now.cert).validTo,
      })
    } catch (error) {
      // Between the writing of one file and the other they do not fit; the old pair serves on. Said
      // once, however often it is looked at.
      const said = String(error)
      if (said === trouble) return
      trouble = said
      log.warn('the certificate files cannot be used as they are; the earlier ones serve on', {
        error,
      })
    }
  }
  const soon = (): void => {
    if (timer) clearTimeout(timer)
    timer = setTimeout(() => void look(), REST_MS)
  }
  const watchers = [...new Set([dirname(files.certificate), dirname(files.key)])].map((directory) =>
    watch(directory, soon),
  )
  // Links to elsewhere (as certbot makes them) change without a sign in this directory.
  const again = setInterval(() => void look(), MINUTE)
  again.unref()
  return () => {
    clearInterval(again)
    if (timer) clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
