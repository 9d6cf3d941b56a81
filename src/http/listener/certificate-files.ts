/** The site's own certificate and key in files, which are read again when they change. */

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Log } from '#lib/log.ts'
import { MINUTE } from '#lib/time.ts'

/** Both in PEM. The intermediate certificates follow the site's own. */
export type Certificate = { readonly cert: string; readonly key: string }

/**
 * Throws an Error that names the file if one is missing, is not a certificate or key, or does not
 * match the other.
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

/** The two files are replaced one after the other, so they are read some time after a change. */
const SETTLE_MS = 500

/** Calls `changed` with every new valid pair. Returns the function that stops watching. */
export function watchCertificate(
  files: { certificate: string; key: string },
  before: Certificate,
  changed: (now: Certificate) => void,
  log: Log,
): () => void {
  let current = before
  let timer: ReturnType<typeof setTimeout> | null = null
  let lastFault: string | null = null
  const readAgain = async (): Promise<void> => {
    try {
      const now = await readCertificate(files)
      lastFault = null
      if (now.cert === current.cert && now.key === current.key) return
      current = now
      changed(now)
      log.info('the certificate was read again', {
        certificate: files.certificate,
        until: new X509Certificate(now.cert).validTo,
      })
    } catch (error) {
      // While the files are replaced they do not match, and the earlier pair stays in use. Each
      // fault is logged once, however often the files are read.
      const fault = String(error)
      if (fault === lastFault) return
      lastFault = fault
      log.warn('the certificate files are not valid; the earlier certificate stays in use', {
        error,
      })
    }
  }
  const scheduleRead = (): void => {
    if (timer) clearTimeout(timer)
    timer = setTimeout(() => void readAgain(), SETTLE_MS)
  }
  const watchers = [...new Set([dirname(files.certificate), dirname(files.key)])].map((directory) =>
    watch(directory, scheduleRead),
  )
  // certbot's files are links, whose targets change without an event in this directory.
  const interval = setInterval(() => void readAgain(), MINUTE)
  interval.unref()
  return () => {
    clearInterval(interval)
    if (timer) clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
