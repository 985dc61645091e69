import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useNotices } from '../components/notices.tsx'
import { useKeptFocus } from '../shell/kept-focus.ts'
import { useApi } from './session.ts'

type Options<Input, Output> = {
  /** Paths whose data is asked for again afterwards. */
  refreshes?: string[]
  /** What is said when it is done. */
  says?: string | ((output: Output, input: Input) => string)
  afterwards?: (output: Output, input: Input) => void | Promise<void>
  /** False where the screen shows the error itself, a form for example. */
  showsError?: boolean
}

/** Something a person does: runs it, says how it went, and brings the lists up to date. */
export function useAction<Output, Input = void>(
  run: (input: Input) => Promise<Output>,
  { refreshes = [], says, afterwards, showsError = true }: Options<Input, Output> = {},
): UseMutationResult<Output, Error, Input> {
  const api = useApi()
  const notices = useNotices()
  const action = useMutation<Output, Error, Input>({
    mutationFn: run,
    onSuccess: async (output, input) => {
      await api.refresh(...refreshes)
      if (says) notices.good(typeof says === 'string' ? says : says(output, input))
      await afterwards?.(output, input)
    },
    onError: (error) => {
      if (showsError) notices.bad(error)
    },
  })
  useKeptFocus(action.isPending)
  return action
}
