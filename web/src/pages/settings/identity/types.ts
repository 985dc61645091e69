import type { ResponseOf } from '../../../service/types.ts'

export type IdentitySettings = ResponseOf<'GET /api/v1/identity'>
export type IdentityTest = ResponseOf<'POST /api/v1/identity/test'>
export type IdentityPage = ResponseOf<'GET /api/v1/identities'>
export type Imported = ResponseOf<'PUT /api/v1/identities'>
export type Filled = ResponseOf<'POST /api/v1/identities/fill'>
export type UnmatchedPage = ResponseOf<'GET /api/v1/identities/unmatched'>
