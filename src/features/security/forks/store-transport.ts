/** Answers the requests of a fetch from an object store of this forge, without a network. */
import type { Git, RefSnapshot, Transport } from '#git'

/** Any address: the transport does not read it. */
export const STORE_URL = 'http://store.invalid/objects'

const bodyOf = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })

/** Serves what these refs reach, and nothing else of the store. */
export const storeTransport =
  (git: Git, store: string, refs: RefSnapshot): Transport =>
  (request) => {
    const { pathname } = new URL(request.url)
    const isList = pathname.endsWith('/info/refs')
    const version = /version=([012])/.exec(request.headers['git-protocol'] ?? '')?.[1] ?? '0'
    const protocol = Number(version) as 0 | 1 | 2
    const type = `application/x-git-upload-pack-${isList ? 'advertisement' : 'result'}`
    return Promise.resolve({
      status: 200,
      header: (name: string) => (name === 'content-type' ? type : null),
      url: request.url,
      body: isList
        ? bodyOf(git.advertise('git-upload-pack', refs, protocol, { store }))
        : git.uploadPack(store, refs, {
            protocol,
            body: request.body,
            ...(request.signal && { signal: request.signal }),
          }),
    })
  }
