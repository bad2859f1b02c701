(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.object
(package_object name: (_) @name) @definition.object
(package_clause name: (_) @name body: (_)) @definition.package
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.case
(full_enum_case name: (_) @name) @definition.case
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(val_definition pattern: (identifier) @name) @definition.constant
(val_definition pattern: (tuple_pattern (identifier) @name)) @definition.constant
(val_definition pattern: (identifiers (identifier) @name)) @definition.constant
(val_declaration name: (_) @name) @definition.constant
(var_definition pattern: (identifier) @name) @definition.variable
(var_declaration name: (_) @name) @definition.variable
(type_definition name: (_) @name) @definition.type
(given_definition name: (_) @name) @definition.given
(class_definition class_parameters: (class_parameters
  (class_parameter ["val" "var"] name: (_) @name) @definition.property))

((infix_expression left: [(infix_expression right: (string)) (string)] @name operator: (identifier) @_word right: [(block) (colon_argument)] @body)
  (#among? @_word "in" "ignore" "taggedAs")) @definition.test
((infix_expression left: (string) @name operator: (identifier) @_word right: (block) @body)
  (#among? @_word "should" "must" "can" "when" "which" "that")) @definition.tests
((call_expression function: (call_expression function: (identifier) @_word arguments: (arguments . (string) @name)) arguments: (block) @body)
  (#among? @_word "test" "it" "property")) @definition.test

(import_declaration) @import
(annotation) @cut
