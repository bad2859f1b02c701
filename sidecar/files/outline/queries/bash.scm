((function_definition name: (_) @name) @definition.function (#set! signature "{name}()"))
(declaration_command "local" [(variable_assignment name: (_) @name) (variable_name) @name]) @ignored
(command (variable_assignment name: (_) @name)) @ignored
((declaration_command "readonly" @tail (word)? @tail (variable_assignment name: (variable_name) @name) @definition.constant)
  (#set! signature "{tail} {text}"))
((declaration_command ["declare" "typeset"] @tail (word) @tail
  (variable_assignment name: (variable_name) @name) @definition.constant)
  (#seen? @tail "^-\\w*r|^[dt]") (#set! signature "{tail} {text}"))
((declaration_command _ @tail . (word)? @tail (variable_assignment name: (variable_name) @name) @definition.variable)
  (#set! signature "{tail} {text}"))
((declaration_command "export" (variable_name) @name @definition.variable) (#set! signature "export {name}"))
((declaration_command ["declare" "typeset"] @tail (word) @tail (variable_name) @name @definition.variable)
  (#seen? @tail "^-\\w*x|^[dt]") (#set! signature "{tail} {name}"))
; A plain assignment counts only if it looks like a setting: `MAX_JOBS=4`.
(variable_assignment name: (variable_name) @name (#seen? @name "^[^a-z]*[A-Z][^a-z]*$")) @definition.variable
(command name: (command_name) @_word . argument: (_) @name (#among? @_word "alias") (#seen? @name "^[^=]+="))
  @definition.function

[(for_statement) (c_style_for_statement) (while_statement) (command_substitution) (pipeline)] @local
(command name: (command_name) @_word . argument: (_) @import (#among? @_word "source" ".") (#seen? @import "^[^<(]"))
