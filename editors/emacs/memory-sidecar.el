;;; memory-sidecar.el --- What agents and people remember about a project -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, convenience
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Connects Emacs with memory-sidecar, through eglot or lsp-mode: memories and facts about the symbol at point in
;; ElDoc, code actions to remember and to act, and in MEMORY.md diagnostics, completion, an index and formatting.
;;
;; lsp-mode runs the sidecar beside a language's own server; loading this file is all that it takes.
;;
;; eglot runs one server in a buffer.  Where a language has none, as in prose, the sidecar is that one; for which modes
;; says `memory-sidecar-eglot-modes'.  Beside another server it needs a program that joins two into one, as
;; rassumfrassum does (https://github.com/joaotavora/rassumfrassum, "pipx install rassumfrassum"):
;;
;;     (memory-sidecar-eglot-beside '(python-mode python-ts-mode) "pylsp")
;;
;; It asks the first server alone for what ElDoc shows; `memory-sidecar-file' shows what is remembered then.

;;; Code:

(require 'jsonrpc)
(require 'subr-x)
(require 'url-util)

(defgroup memory-sidecar nil
  "What agents and people remember about a project."
  :group 'tools)

(defcustom memory-sidecar-command '("memory-sidecar" "serve")
  "Program and arguments that start the sidecar."
  :type '(repeat string))

(defcustom memory-sidecar-multiplexer '("rass")
  "Program and arguments that join language servers, which follow, each after \"--\"."
  :type '(repeat string))

(defcustom memory-sidecar-eglot-modes '(markdown-mode gfm-mode org-mode rst-mode text-mode)
  "Major modes in which eglot runs the sidecar alone.
Others need `memory-sidecar-eglot-beside'."
  :type '(repeat symbol))

(defvar eglot-server-programs)
(declare-function eglot-current-server "eglot")
(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function lsp-find-workspace "lsp-mode")
(declare-function lsp-request "lsp-mode")
(defvar lsp--cur-workspace)

;;;; Starting it

;;;###autoload
(defun memory-sidecar-eglot-alone ()
  "Let eglot run the sidecar in `memory-sidecar-eglot-modes'.
A server that is set up for one of them keeps it."
  (add-to-list 'eglot-server-programs (cons memory-sidecar-eglot-modes memory-sidecar-command) t))

;;;###autoload
(defun memory-sidecar-eglot-beside (modes &rest server)
  "Let eglot run SERVER and the sidecar, joined, in MODES.
MODES is a major mode or a list of them, SERVER a program and its arguments."
  (with-eval-after-load 'eglot
    (add-to-list 'eglot-server-programs
                 (cons modes (append memory-sidecar-multiplexer '("--") server '("--") memory-sidecar-command)))))

(defun memory-sidecar-lsp-register ()
  "Let `lsp-mode' run the sidecar beside the server of each language."
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () memory-sidecar-command))
                    :activation-fn (lambda (file _mode) (and file t))
                    :server-id 'memory-sidecar
                    :priority -2
                    :add-on? t)))

(with-eval-after-load 'eglot
  (memory-sidecar-eglot-alone))
(with-eval-after-load 'lsp-mode
  (memory-sidecar-lsp-register))

;;;; Asking it

(defun memory-sidecar--execute (command argument)
  "Carry out COMMAND of the sidecar of this buffer, and return its answer.
ARGUMENT is a string or a plist."
  (let* ((words (list :command (concat "memorySidecar." command) :arguments (vector argument)))
         (workspace (and (fboundp 'lsp-find-workspace) (lsp-find-workspace 'memory-sidecar nil)))
         (server (and (not workspace) (fboundp 'eglot-current-server) (eglot-current-server))))
    (cond
     (workspace (let ((lsp--cur-workspace workspace))
                  (lsp-request "workspace/executeCommand" words)))
     (server (jsonrpc-request server :workspace/executeCommand words))
     (t (user-error "No sidecar serves this buffer: start eglot or lsp")))))

(defun memory-sidecar--get (object key)
  "The value of KEY, a string, in OBJECT, a plist or a hash table."
  (if (hash-table-p object)
      (gethash key object)
    (plist-get object (intern (concat ":" key)))))

(defun memory-sidecar--show (title text)
  "Show TEXT in a buffer of its own, under TITLE."
  (with-current-buffer (get-buffer-create (format "*memory-sidecar %s*" title))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert text "\n"))
    (special-mode)
    (goto-char (point-min))
    (display-buffer (current-buffer))))

;;;###autoload
(defun memory-sidecar-record (text)
  "Remember TEXT, the region if there is one, about this project and file."
  (interactive
   (list (read-string "Remember: " (and (use-region-p)
                                        (string-trim (buffer-substring-no-properties
                                                      (region-beginning) (region-end)))))))
  (when (string-empty-p (string-trim text))
    (user-error "There is nothing to remember"))
  (let* ((files (if buffer-file-name (vector buffer-file-name) []))
         (answer (memory-sidecar--execute "record" (list :content text :files files :quiet t)))
         (memory (memory-sidecar--get answer "memory")))
    (message "%s: %s" (capitalize (memory-sidecar--get answer "status")) (memory-sidecar--get memory "name"))
    answer))

;;;###autoload
(defun memory-sidecar-search (query)
  "Search memories for QUERY, choose one and go to it."
  (interactive (list (read-string "Search memories: ")))
  (let* ((answer (memory-sidecar--execute "search" (list :query query :limit 50 :agent "*" :quiet t)))
         (found (mapcar (lambda (item)
                          (let ((memory (memory-sidecar--get item "memory")))
                            (cons (format "%s  (%s)" (memory-sidecar--get memory "name")
                                          (memory-sidecar--get memory "scope"))
                                  (memory-sidecar--get memory "id"))))
                        (memory-sidecar--get answer "items"))))
    (if (null found)
        (message "No memory was found")
      (memory-sidecar-show (cdr (assoc (completing-read "Memory: " found nil t) found))))))

(defun memory-sidecar-show (id)
  "Go to where the memory ID stands, or show its text."
  (let* ((answer (memory-sidecar--execute "showMemory" (list :id id :quiet t)))
         (place (memory-sidecar--get answer "place")))
    (if (null place)
        (memory-sidecar--show "memory" (memory-sidecar--get answer "text"))
      (find-file (url-unhex-string (string-remove-prefix "file://" (memory-sidecar--get place "uri"))))
      (goto-char (point-min))
      (forward-line (memory-sidecar--get place "line")))))

;;;###autoload
(defun memory-sidecar-inject (prompt)
  "Show what an agent would be given for PROMPT and the file of this buffer."
  (interactive (list (read-string "Prompt: ")))
  (let* ((files (if buffer-file-name (vector buffer-file-name) []))
         (answer (memory-sidecar--execute "inject" (list :prompt prompt :files files :quiet t)))
         (text (memory-sidecar--get answer "text")))
    (if (string-empty-p text)
        (message "Nothing would be injected")
      (memory-sidecar--show "inject" (format "%d tokens\n\n%s" (memory-sidecar--get answer "tokens") text)))))

;;;###autoload
(defun memory-sidecar-summary ()
  "Show what is known of the file of this buffer."
  (interactive)
  (unless buffer-file-name
    (user-error "This buffer has no file"))
  (let ((answer (memory-sidecar--execute "summary" (list :path buffer-file-name :quiet t))))
    (memory-sidecar--show "summary" (memory-sidecar--get answer "summary"))))

;;;###autoload
(defun memory-sidecar-file ()
  "Show the memories and facts about the file of this buffer."
  (interactive)
  (unless buffer-file-name
    (user-error "This buffer has no file"))
  (let* ((uri (concat "file://" (url-hexify-string (file-truename buffer-file-name) url-path-allowed-chars)))
         (answer (memory-sidecar--execute "showFile" (list :uri uri :quiet t))))
    (memory-sidecar--show "file" (memory-sidecar--get answer "text"))))

(provide 'memory-sidecar)
;;; memory-sidecar.el ends here
