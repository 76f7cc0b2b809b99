import { defineConfig } from "vite";

// Three files with names that CMake knows (src/serve/CMakeLists.txt).
export default defineConfig({
  base: "/",
  // Licences of what is built in stay in the file.
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "eof" },
  build: {
    emptyOutDir: true,
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        assetFileNames: "app[extname]",
        inlineDynamicImports: true,
      },
    },
  },
});
