// Texts that run as code wherever text is taken for markup.
export const payloads = [
  '"><img src=x onerror=window.__x=1>',
  '</script><script>window.__x=1</script>',
  '<svg onload=window.__x=1>',
  "'-alert(1)-'",
  'javascript:window.__x=1',
  '{{constructor.constructor("window.__x=1")()}}',
  '${window.__x=1}',
  '<iframe srcdoc="<script>parent.__x=1</script>">',
];
