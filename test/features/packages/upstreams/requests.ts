/** Requests of tests of upstreams. */
export const SLIM: RequestInit = { headers: { accept: 'application/vnd.npm.install-v1+json' } }

// biome-ignore lint/suspicious/noExplicitAny: documents of registries are read loosely in tests.
export const getJson = async (answer: Promise<Response>): Promise<any> => (await answer).json()
