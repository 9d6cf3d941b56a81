/** The addresses of the results service, which stock clients of artifacts and caches call. */
import type { ProtocolRoute } from '#core/protocol-routes.ts'
import {
  beginArtifact,
  deleteForJob,
  finishArtifact,
  linkForJob,
  listForJob,
} from './artifact-service.ts'
import { beginCache, findCache, finishCache } from './cache-service.ts'
import { fileRoutes } from './file-routes.ts'
import * as messages from './messages.ts'
import { twirpRoute } from './twirp.ts'

export const resultsRoutes: readonly ProtocolRoute[] = [
  twirpRoute({
    name: 'ArtifactService/CreateArtifact',
    request: messages.CreateArtifactRequest,
    response: messages.CreateArtifactResponse,
    handle: beginArtifact,
  }),
  twirpRoute({
    name: 'ArtifactService/FinalizeArtifact',
    request: messages.FinalizeArtifactRequest,
    response: messages.FinalizeArtifactResponse,
    handle: finishArtifact,
  }),
  twirpRoute({
    name: 'ArtifactService/ListArtifacts',
    request: messages.ListArtifactsRequest,
    response: messages.ListArtifactsResponse,
    handle: listForJob,
  }),
  twirpRoute({
    name: 'ArtifactService/GetSignedArtifactURL',
    request: messages.GetSignedArtifactURLRequest,
    response: messages.GetSignedArtifactURLResponse,
    handle: linkForJob,
  }),
  twirpRoute({
    name: 'ArtifactService/DeleteArtifact',
    request: messages.DeleteArtifactRequest,
    response: messages.DeleteArtifactResponse,
    handle: deleteForJob,
  }),
  twirpRoute({
    name: 'CacheService/CreateCacheEntry',
    request: messages.CreateCacheEntryRequest,
    response: messages.CreateCacheEntryResponse,
    handle: beginCache,
  }),
  twirpRoute({
    name: 'CacheService/FinalizeCacheEntryUpload',
    request: messages.FinalizeCacheEntryUploadRequest,
    response: messages.FinalizeCacheEntryUploadResponse,
    handle: finishCache,
  }),
  twirpRoute({
    name: 'CacheService/GetCacheEntryDownloadURL',
    request: messages.GetCacheEntryDownloadURLRequest,
    response: messages.GetCacheEntryDownloadURLResponse,
    handle: findCache,
  }),
  ...fileRoutes,
]
