import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { JobSearch } from './types.ts'

const PATH = '/w/$workspaceId/jobs/$jobId'

/** Tab, filters, order and page of the screen of a run, and how to change them. */
export function useJobAddress() {
  const params = useParams({ from: `/signed-in${PATH}` })
  const search = useSearch({ from: `/signed-in${PATH}` })
  const navigate = useNavigate()
  const go = (changes: JobSearch, { replace = false } = {}) =>
    void navigate({ to: PATH, params, search: { ...search, ...changes }, resetScroll: false, replace })
  return { search, go }
}
