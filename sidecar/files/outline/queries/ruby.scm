(module name: (_) @name @head) @definition.module
(class name: (_) @name superclass: (_) @head) @definition.class
(class name: (_) @name @head) @definition.class
(method name: (_) @name parameters: (_) @head) @definition.function
(method name: (_) @name @head) @definition.function
(singleton_method name: (_) @name parameters: (_) @head) @definition.function
(singleton_method name: (_) @name @head) @definition.function
((alias name: (_) @name alias: (_) @head) @definition.method (#set! member ""))
((call !block method: (identifier) @_word arguments: (argument_list . [(simple_symbol) (string)] @name)) @definition.method
  (#among? @_word "define_method" "alias_method"))
((assignment left: [(constant) (scope_resolution)] @name
  right: (call receiver: (constant) @_base method: (identifier) @_made block: (_)? @body)) @definition.class
  (#among? @_base "Struct" "Class" "Module" "Data") (#among? @_made "new" "define"))
(assignment left: [(constant) (scope_resolution)] @name) @definition.constant
(operator_assignment left: [(constant) (scope_resolution)] @name) @definition.constant
((assignment left: (left_assignment_list [(constant) (scope_resolution)] @name)) @definition.constant (#set! signature "{name} = …"))

; Calls whose word decides what they define: each symbol, a title with a block, or the first symbol.
((call !receiver method: (identifier) @word arguments: (argument_list [(simple_symbol) (string)] @name)) @definition.each
  (#set! signature "{word} {title}"))
((call !receiver method: (identifier) @word arguments: (argument_list . [
    (simple_symbol) @name (string) @name (delimited_symbol) @name (pair key: (_) @name) (constant) @name (scope_resolution) @name])
  block: (_)) @definition.titled (#set! signature "{word} {title}"))
((call receiver: (constant) @_receiver method: (identifier) @word
  arguments: (argument_list . [(string) (simple_symbol) (constant) (scope_resolution)] @name) block: (_)) @definition.titled
  (#among? @_receiver "RSpec") (#set! signature "{word} {title}"))
((call !receiver method: (identifier) @word arguments: (argument_list . [(simple_symbol) @name (string) @name (pair key: (_) @name)]))
  @definition.first (#set! signature "{word} {title}") (#set! member ""))

(body_statement (identifier) @section)
(block_body (identifier) @section)
(call !receiver method: (identifier) @word arguments: (argument_list [
  (simple_symbol) @marked (string) @marked (call) @marked (method "def" @marked) (singleton_method "def" @marked)]))
(singleton_method "def" @shown)

([(if condition: (_) @_condition) (if_modifier condition: (_) @_condition)] @local
  (#seen? @_condition "__FILE__\\s*==\\s*(?:\\$0|\\$PROGRAM_NAME)|(?:\\$0|\\$PROGRAM_NAME)\\s*==\\s*__FILE__") (#set! entry "if __FILE__ == $0"))
(call !receiver method: (identifier) @_word arguments: (argument_list (string . (string_content) @import .))
  (#among? @_word "require" "load" "autoload"))
((call !receiver method: (identifier) @_word arguments: (argument_list . (string . (string_content) @import .)))
  (#among? @_word "require_relative") (#set! before "./"))
