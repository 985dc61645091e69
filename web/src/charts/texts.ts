export const chartTexts = {
  asTable: 'Show as table',
  asPlot: 'Show as plot',
}
