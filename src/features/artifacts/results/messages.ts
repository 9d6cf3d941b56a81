/**
 * Messages of the results service (`github.actions.results.api.v1`), as `@actions/artifact` and
 * `@actions/cache` have them (https://github.com/actions/toolkit, MIT). Clients read JSON with the
 * names of the declaration. Fields that nothing here reads are left out.
 */
import {
  bool,
  int64,
  int64Value,
  list,
  message,
  one,
  string,
  stringValue,
  timestamp,
  type ValueOf,
} from '#lib/protobuf.ts'

const ids = {
  workflow_run_backend_id: one(1, string),
  workflow_job_run_backend_id: one(2, string),
}

/** The job that a request says it is for. */
export type BackendIds = {
  readonly workflow_run_backend_id: string
  readonly workflow_job_run_backend_id: string
}

export const CreateArtifactRequest = message({
  ...ids,
  name: one(3, string),
  expires_at: one(4, timestamp),
  mime_type: one(6, stringValue),
})
export const CreateArtifactResponse = message({
  ok: one(1, bool),
  signed_upload_url: one(2, string),
})

export const FinalizeArtifactRequest = message({
  ...ids,
  name: one(3, string),
  size: one(4, int64),
  hash: one(5, stringValue),
})
export const FinalizeArtifactResponse = message({ ok: one(1, bool), artifact_id: one(2, int64) })

export const ListArtifactsRequest = message({
  ...ids,
  name_filter: one(3, stringValue),
  id_filter: one(4, int64Value),
})
const ListedArtifact = message({
  ...ids,
  database_id: one(3, int64),
  name: one(4, string),
  size: one(5, int64),
  created_at: one(6, timestamp),
  digest: one(7, stringValue),
})
export const ListArtifactsResponse = message({
  artifacts: list<ValueOf<typeof ListedArtifact>>(1, ListedArtifact),
})

export const GetSignedArtifactURLRequest = message({ ...ids, name: one(3, string) })
export const GetSignedArtifactURLResponse = message({ signed_url: one(1, string) })

export const DeleteArtifactRequest = message({ ...ids, name: one(3, string) })
export const DeleteArtifactResponse = message({ ok: one(1, bool), artifact_id: one(2, int64) })

export const CreateCacheEntryRequest = message({ key: one(2, string), version: one(3, string) })
export const CreateCacheEntryResponse = message({
  ok: one(1, bool),
  signed_upload_url: one(2, string),
  message: one(3, string),
})

export const FinalizeCacheEntryUploadRequest = message({
  key: one(2, string),
  size_bytes: one(3, int64),
  version: one(4, string),
})
export const FinalizeCacheEntryUploadResponse = message({
  ok: one(1, bool),
  entry_id: one(2, int64),
  message: one(3, string),
})

export const GetCacheEntryDownloadURLRequest = message({
  key: one(2, string),
  restore_keys: list(3, string),
  version: one(4, string),
})
export const GetCacheEntryDownloadURLResponse = message({
  ok: one(1, bool),
  signed_download_url: one(2, string),
  matched_key: one(3, string),
})
